// Counts, and a list of those that wait.
#include "services/gateway/connection_limiter.hpp"

#include <algorithm>
#include <utility>

namespace kinloop::gateway {

std::shared_ptr<ConnectionLimiter::Slot> ConnectionLimiter::admit(const std::string& address,
                                                                  const std::weak_ptr<LimitedConnection>& connection) {
  const auto of_address = self_->of.find(address);
  if (of_address != self_->of.end() && of_address->second >= self_->bounds.of_address && !make_room(&address)) {
    return nullptr;
  }
  if (self_->count >= self_->bounds.of_all && !make_room(nullptr)) return nullptr;
  return std::make_shared<Slot>(self_, address, connection);
}

/// Among those of an address, or of all. Its slot counts no more from now on, though it takes a moment to leave.
bool ConnectionLimiter::make_room(const std::string* address) {
  const auto longest = std::find_if(self_->idle.begin(), self_->idle.end(),
                                    [&](const Idle& one) { return address == nullptr || one.address == *address; });
  if (longest == self_->idle.end()) return false;
  const Idle leaving = *longest;
  leaving.slot->set_idle(false);
  leaving.slot->give_back();
  if (const auto connection = leaving.connection.lock()) connection->leave();
  return true;
}

ConnectionLimiter::Slot::Slot(std::shared_ptr<Self> limiter, std::string address,
                              std::weak_ptr<LimitedConnection> connection)
    : shared_(std::move(limiter)), address_(std::move(address)), connection_(std::move(connection)) {
  ++shared_->count;
  ++shared_->of[address_];
}

ConnectionLimiter::Slot::~Slot() {
  set_idle(false);
  give_back();
}

void ConnectionLimiter::Slot::set_idle(bool is_idle) {
  if (std::exchange(is_idle_, is_idle) == is_idle) return;
  if (is_idle) {
    shared_->idle.push_back({address_, connection_, this});
  } else {
    shared_->idle.remove_if([this](const Idle& one) { return one.slot == this; });
  }
}

void ConnectionLimiter::Slot::give_back() {
  if (!std::exchange(is_counted_, false)) return;
  --shared_->count;
  if (--shared_->of[address_] == 0) shared_->of.erase(address_);
}

}  // namespace kinloop::gateway

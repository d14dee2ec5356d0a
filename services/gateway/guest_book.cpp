// Counts, and a list of those that wait.
#include "services/gateway/guest_book.hpp"

#include <algorithm>
#include <utility>

namespace kinloop::gateway {

std::shared_ptr<GuestBook::Place> GuestBook::admit(const std::string& address, const std::weak_ptr<Guest>& guest) {
  const auto of_address = self_->of.find(address);
  if (of_address != self_->of.end() && of_address->second >= self_->bounds.of_address && !make_room(&address)) {
    return nullptr;
  }
  if (self_->count >= self_->bounds.of_all && !make_room(nullptr)) return nullptr;
  return std::make_shared<Place>(self_, address, guest);
}

/// Among those of an address, or of all. Its place counts no more from now on, though it takes a moment to leave.
bool GuestBook::make_room(const std::string* address) {
  const auto longest = std::find_if(self_->idle.begin(), self_->idle.end(),
                                    [&](const Idle& one) { return address == nullptr || one.address == *address; });
  if (longest == self_->idle.end()) return false;
  const Idle leaving = *longest;
  leaving.place->set_idle(false);
  leaving.place->give_back();
  if (const auto guest = leaving.guest.lock()) guest->leave();
  return true;
}

GuestBook::Place::Place(std::shared_ptr<Self> book, std::string address, std::weak_ptr<Guest> guest)
    : book_(std::move(book)), address_(std::move(address)), guest_(std::move(guest)) {
  ++book_->count;
  ++book_->of[address_];
}

GuestBook::Place::~Place() {
  set_idle(false);
  give_back();
}

void GuestBook::Place::set_idle(bool is_idle) {
  if (std::exchange(is_idle_, is_idle) == is_idle) return;
  if (is_idle) {
    book_->idle.push_back({address_, guest_, this});
  } else {
    book_->idle.remove_if([this](const Idle& one) { return one.place == this; });
  }
}

void GuestBook::Place::give_back() {
  if (!std::exchange(is_counted_, false)) return;
  --book_->count;
  if (--book_->of[address_] == 0) book_->of.erase(address_);
}

}  // namespace kinloop::gateway

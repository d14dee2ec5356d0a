// Counts are shared with the messages, which may outlive who sent them.
#include "services/io/unsent_bytes.hpp"

namespace kinloop::io {

struct UnsentBytes::Held {
  Answer answer;
  Count of_receiver, of_all;
};

zmq::message_t UnsentBytes::message_for(const std::string& receiver, const Answer& answer) {
  if (receivers_.size() >= kMaxReceivers) forget_idle();
  Count& count = receivers_[receiver];
  if (!count) count = std::make_shared<std::atomic<std::int64_t>>(0);
  auto held = std::make_unique<Held>(Held{answer, count, all_});
  const auto size = static_cast<std::int64_t>(answer->size());
  // Relaxed: the numbers alone are wanted, nothing that was written before them.
  count->fetch_add(size, std::memory_order_relaxed);
  all_->fetch_add(size, std::memory_order_relaxed);
  const auto let_go = [](void* /*data*/, void* hint) {
    const std::unique_ptr<Held> done(static_cast<Held*>(hint));
    const auto bytes = static_cast<std::int64_t>(done->answer->size());
    done->of_receiver->fetch_sub(bytes, std::memory_order_relaxed);
    done->of_all->fetch_sub(bytes, std::memory_order_relaxed);
  };
  // ZeroMQ reads it only.
  void* const data = const_cast<char*>(answer->data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  zmq::message_t message(data, answer->size(), let_go, held.get());
  static_cast<void>(held.release());  // the message's now
  return message;
}

std::int64_t UnsentBytes::of(const std::string& receiver) const {
  const auto found = receivers_.find(receiver);
  return found == receivers_.end() ? 0 : found->second->load(std::memory_order_relaxed);
}

void UnsentBytes::forget_idle() {
  std::erase_if(receivers_, [](const auto& one) { return one.second->load(std::memory_order_relaxed) == 0; });
}

}  // namespace kinloop::io

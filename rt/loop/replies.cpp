// Sends replies, and the last of them a second time.
#include "rt/loop/replies.hpp"

#include <algorithm>

namespace kinloop::rt {

void Replies::send(std::uint64_t id, ReplyStatus status, std::uint64_t step) noexcept {
  const Reply reply{id, status, 0, step};
  // Where there was no room, asking again is worth while.
  if ((id & Request::kNumbered) != 0 && status != ReplyStatus::kFull) sent_[next_++ % sent_.size()] = reply;
  out_.push(reply);  // full: nobody listens
  client_.raise();
}

bool Replies::send_again(std::uint64_t id) noexcept {
  if ((id & Request::kNumbered) == 0) return false;
  const auto earlier = std::find_if(sent_.begin(), sent_.end(), [&](const Reply& reply) { return reply.id == id; });
  if (earlier == sent_.end()) return false;
  out_.push(*earlier);
  client_.raise();
  return true;
}

}  // namespace kinloop::rt

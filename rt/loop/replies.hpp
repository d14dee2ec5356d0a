// Owns Replies: answers to requests, with a memory of those that an asker may ask for again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rt/ipc/queue.hpp"
#include "rt/loop/deferred_signal.hpp"
#include "rt/messages/request.hpp"

namespace kinloop::rt {

class Replies {
 public:
  static constexpr std::size_t kRemembered = 64;

  Replies(Queue<Reply, 128>& out, DeferredSignal& client) noexcept : out_(out), client_(client) {}

  /// `step` is the first one that feels what was asked.
  void send(std::uint64_t id, ReplyStatus status, std::uint64_t step) noexcept;
  /// Whether a numbered request was answered before; then the same answer is sent again.
  bool send_again(std::uint64_t id) noexcept;

 private:
  Queue<Reply, 128>& out_;
  DeferredSignal& client_;
  std::array<Reply, kRemembered> sent_{};  // to numbered requests, so that none is done twice
  std::size_t next_ = 0;
};

}  // namespace kinloop::rt

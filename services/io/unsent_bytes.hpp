// Owns UnsentBytes: how much of the answers lies in ZeroMQ's queues, since clients do not read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <zmq.hpp>

#include "services/io/reply_cache.hpp"

namespace kinloop::io {

/// By the main thread; ZeroMQ's own counts down when it has written a message or thrown it away.
class UnsentBytes {
 public:
  /// A message with this answer, without a copy, counted for this receiver until ZeroMQ is done with it.
  zmq::message_t message_for(const std::string& receiver, const Answer& answer);

  std::int64_t of(const std::string& receiver) const;
  std::int64_t all() const noexcept { return all_->load(std::memory_order_relaxed); }

 private:
  using Count = std::shared_ptr<std::atomic<std::int64_t>>;
  struct Held;
  static constexpr std::size_t kMaxReceivers = 4096;

  void forget_idle();

  Count all_ = std::make_shared<std::atomic<std::int64_t>>(0);
  std::unordered_map<std::string, Count> receivers_;
};

}  // namespace kinloop::io

// Owns ReplyCache: which numbered requests were answered how, so that a request that is sent again is not done again.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kinloop::io {

/// Where the answer goes: the parts that a ROUTER puts before a message.
using Envelope = std::vector<std::string>;

class ReplyCache {
 public:
  static constexpr std::size_t kMax = 1024;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

  /// Requests without a number are not looked up, and always new.
  enum class Found { kNew, kUnderWay, kAnswered };
  /// kNew: it is now under way. kUnderWay: its sender will be answered with the others.
  Found look_up(const v1::ControlRequest& request, const Envelope& from);

  /// Of a request that was kAnswered, marked as repeated.
  v1::ControlReply answer_to(const v1::ControlRequest& request) const;

  /// The answer of a request that is under way; gives the others that wait for it.
  std::vector<Envelope> keep(const v1::ControlRequest& request, const v1::ControlReply& reply);

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Entry {
    std::optional<std::string> reply;  // serialised; nothing while it is under way
    std::vector<Envelope> waiting;
  };
  static constexpr std::size_t kMaxWaiting = 16;

  void forget_old();

  std::map<Key, Entry> entries_;
  std::deque<Key> answered_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace kinloop::io

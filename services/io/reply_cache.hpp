// Owns ReplyCache: which numbered requests were answered how, so that a request that is sent again is not done again.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kinloop::io {

/// Where the answer goes: the parts that a ROUTER puts before a message.
using Envelope = std::vector<std::string>;

/// An answer as it goes over the wire: serialised once, shared by all who send or keep it.
using Answer = std::shared_ptr<const std::string>;

/// By what a request is known when it comes again.
struct RequestId {
  std::string caller;        // the identity that its connection has proved, not one that it claims
  std::uint64_t client = 0;  // ControlRequest.client
  std::uint64_t number = 0;  // ControlRequest.request_id

  bool is_numbered() const noexcept { return client != 0 && number != 0; }
  friend auto operator<=>(const RequestId&, const RequestId&) = default;
};

class ReplyCache {
 public:
  static constexpr std::size_t kMax = 1024;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

  /// Requests without a number are not looked up, and always new.
  enum class Found { kNew, kUnderWay, kAnswered, kOther };
  /// kNew: it is now under way. kUnderWay: its sender will be answered with the others. kOther: the number is that of
  /// another request, with another hash.
  Found look_up(const RequestId& id, std::uint64_t hash, const Envelope& from);

  /// Of a request that was kAnswered, marked as repeated.
  Answer answer_to(const RequestId& id) const;

  /// The answer of a request that is under way; gives the others that wait for it.
  std::vector<Envelope> keep(const RequestId& id, Answer answer);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    Answer answer;  // null while it is under way
    std::vector<Envelope> waiting;
  };
  static constexpr std::size_t kMaxWaiting = 16;

  void forget_old();

  std::map<RequestId, Entry> entries_;
  std::deque<RequestId> answered_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace kinloop::io

// Owns Replies: every request is answered once, and a request that is sent again gets the same answer.
#pragma once

#include <functional>
#include <string>

#include "services/io/call.hpp"
#include "services/io/reply_cache.hpp"

namespace kinloop::io {

/// Of any answer. What would be larger is refused.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20U;

/// The reply of a call, serialised; one that is too large becomes an error. By whichever thread has the call.
Answer serialise(Call& call);

/// By the main thread.
class Replies {
 public:
  using Send = std::function<void(const Envelope&, const Answer&)>;

  explicit Replies(Send send) : send_(std::move(send)) {}

  /// Whether the call is to be done. If not, it was answered before, or will be with the one that is under way.
  bool begin(Call& call);
  void finish(Call& call) { finish(call, serialise(call)); }
  void finish(const Call& call, const Answer& answer);
  void refuse(Call& call, v1::ErrorCode code, std::string message, std::string field = "");
  /// Before begin(), without a trace: who may not ask must not answer for one who may and has the same number.
  void turn_away(Call& call, v1::ErrorCode code, std::string message, std::string field = "");

  std::int64_t refused() const noexcept { return refused_; }

 private:
  Send send_;
  ReplyCache answers_;
  std::int64_t refused_ = 0;
};

}  // namespace kinloop::io

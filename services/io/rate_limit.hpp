// Owns RateLimit: how often, and with how many bytes, each sender may be heard, so that one who floods takes only its
// own share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kinloop::io {

struct Rate {
  double per_s = 0.0;
  double burst = 0.0;  // at once
};

class RateLimit {
 public:
  RateLimit(Rate messages, Rate bytes) : messages_(messages), bytes_(bytes) {}

  enum class Verdict { kHeard, kTooMany, kTooManyBytes };
  /// Whether a message of so many bytes may be heard now. A sender may use up more bytes than it has left, once: it is
  /// heard again when the debt is paid. No allocation for a sender that was heard before.
  Verdict judge(std::string_view sender, std::size_t bytes, std::int64_t now_ns) {
    Buckets& left = buckets_of(sender, now_ns);
    const double passed_s = static_cast<double>(now_ns - left.seen_ns) * 1e-9;
    left.messages = std::min(messages_.burst, left.messages + messages_.per_s * passed_s);
    left.bytes = std::min(bytes_.burst, left.bytes + bytes_.per_s * passed_s);
    left.seen_ns = now_ns;
    if (left.messages < 1.0) return Verdict::kTooMany;
    left.messages -= 1.0;
    if (left.bytes < 0.0) return Verdict::kTooManyBytes;
    left.bytes -= static_cast<double>(bytes);
    return Verdict::kHeard;
  }

  /// What was sent to it counts as well; nothing where it was not heard before.
  void charge(std::string_view sender, std::size_t bytes) {
    if (const auto found = senders_.find(sender); found != senders_.end()) {
      found->second.bytes -= static_cast<double>(bytes);
    }
  }

 private:
  static constexpr std::size_t kMaxSenders = 4096;
  struct Buckets {
    double messages = 0.0;
    double bytes = 0.0;
    std::int64_t seen_ns = 0;
  };
  struct Hash {
    using is_transparent = void;  // NOLINT: the name that the library looks for
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };

  Buckets& buckets_of(std::string_view sender, std::int64_t now_ns) {
    const auto found = senders_.find(sender);
    if (found != senders_.end()) return found->second;
    if (senders_.size() >= kMaxSenders) senders_.clear();  // all start over: memory stays bounded
    return senders_.emplace(sender, Buckets{messages_.burst, bytes_.burst, now_ns}).first->second;
  }

  Rate messages_, bytes_;
  std::unordered_map<std::string, Buckets, Hash, std::equal_to<>> senders_;
};

}  // namespace kinloop::io

// Owns RateLimit: how often each sender may be heard, so that one who floods takes only its own share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kinloop::io {

class RateLimit {
 public:
  /// `burst` at once, then so many a second.
  RateLimit(double per_s, double burst) : per_s_(per_s), burst_(burst) {}

  /// Whether this one may. No allocation for a sender that was heard before.
  bool permits(std::string_view sender, std::int64_t now_ns) {
    auto found = senders_.find(sender);
    if (found == senders_.end()) {
      if (senders_.size() >= kMaxSenders) senders_.clear();  // all start over: memory stays bounded
      found = senders_.emplace(sender, Bucket{burst_, now_ns}).first;
    }
    Bucket& bucket = found->second;
    bucket.left = std::min(burst_, bucket.left + per_s_ * static_cast<double>(now_ns - bucket.seen_ns) * 1e-9);
    bucket.seen_ns = now_ns;
    if (bucket.left < 1.0) return false;
    bucket.left -= 1.0;
    return true;
  }

 private:
  static constexpr std::size_t kMaxSenders = 4096;
  struct Bucket {
    double left = 0.0;
    std::int64_t seen_ns = 0;
  };
  struct Hash {
    using is_transparent = void;  // NOLINT: the name that the library looks for
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };

  double per_s_, burst_;
  std::unordered_map<std::string, Bucket, Hash, std::equal_to<>> senders_;
};

}  // namespace kinloop::io

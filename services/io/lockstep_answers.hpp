// Owns LockstepAnswers: who is to get the frame of which step.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace kinloop::io {

/// A few at a time, in the order of their releases. No allocation once the names have grown.
class LockstepAnswers {
 public:
  struct Waiting {
    std::uint64_t release = 0;
    std::uint64_t sequence = 0;  // of the frame to be answered
    std::string sender;
    bool with_delimiter = false;
  };

  bool is_waiting() const noexcept { return first_ != end_; }

  void expect(std::uint64_t release, std::uint64_t sequence, const std::string& sender, bool with_delimiter) {
    if (end_ - first_ == all_.size()) ++first_;  // the plant holds no more than this: the oldest was lost
    Waiting& waiting = all_[end_++ % all_.size()];
    waiting.release = release;
    waiting.sequence = sequence;
    waiting.sender = sender;
    waiting.with_delimiter = with_delimiter;
  }

  /// Who waits for the frame of this release; nullptr: nobody. Valid until the next expect().
  const Waiting* take(std::uint64_t release) noexcept {
    if (release == 0) return nullptr;
    while (is_waiting()) {
      const Waiting& waiting = all_[first_ % all_.size()];
      if (waiting.release > release) return nullptr;
      ++first_;
      if (waiting.release == release) return &waiting;
    }
    return nullptr;
  }

 private:
  std::array<Waiting, 128> all_{};
  std::size_t first_ = 0, end_ = 0;
};

}  // namespace kinloop::io

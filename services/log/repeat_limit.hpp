// Owns RepeatLimit: how often the same line may be written, so that one that floods leaves room for the others.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/log/level.hpp"

namespace kinloop::log {

/// What is told of lines that were held back.
struct Repeats {
  Level level = Level::kInfo;  // the gravest of them
  const char* part = "";
  std::string last_text;
  std::int64_t count = 0;
};

/// Lines are the same if they come from the same place in the code and differ in their digits only: a line about every
/// late step is a repeat although each names another step.
class RepeatLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr int kMaxASecond = 5;
  /// Kinds of lines within a second; more than these, which takes texts that others choose, share one allowance.
  static constexpr std::size_t kMaxKinds = 64;

  /// Whether the line may be written; if not, it is counted. `site` is unique to the place in the code.
  bool permits(std::string_view site, Level level, const char* part, std::string_view text, Time now);

  /// Of every kind whose second is over and that had lines held back. `now` never goes back.
  std::vector<Repeats> take_ended(Time now);
  /// When the next second is over; nothing: none has begun.
  std::optional<Time> next_end() const;

 private:
  struct Second {
    Time end;
    int written = 0;
    Repeats held_back;
  };
  std::map<std::string, Second> kinds_;
};

}  // namespace kinloop::log

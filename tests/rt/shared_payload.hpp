// Owns Payload: a value of many words that shows whether it was torn.
#pragma once

#include <array>
#include <cstdint>

namespace kinloop::rt {

struct Payload {
  std::array<std::uint64_t, 48> words{};  // several cache lines

  static Payload of(std::uint64_t number) noexcept {
    Payload payload;
    for (std::size_t i = 0; i < payload.words.size(); ++i) payload.words[i] = number * (i + 1);
    return payload;
  }
  std::uint64_t number() const noexcept { return words[0]; }
  bool is_whole() const noexcept {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] != words[0] * (i + 1)) return false;
    }
    return true;
  }
};

}  // namespace kinloop::rt

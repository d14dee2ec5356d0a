// Owns random numbers without memory: each follows from a seed, a signal and a step alone, so a run that is restored,
// replayed or entered in the middle sees the same noise.
//
// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, 2011).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace kinloop {

using Philox = std::array<std::uint32_t, 4>;

constexpr Philox philox(Philox counter, std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

/// What a number is drawn for: different purposes of one signal must not share their numbers.
struct NoiseSource {
  std::uint64_t seed = 0;
  std::uint32_t signal = 0;
  std::uint32_t purpose = 0;
};

/// 128 random bits for a step.
constexpr Philox noise_bits(const NoiseSource& source, std::uint64_t step) noexcept {
  return philox(
      {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32U), source.signal, source.purpose},
      {static_cast<std::uint32_t>(source.seed), static_cast<std::uint32_t>(source.seed >> 32U)});
}

/// In (0, 1): never 0, never 1.
constexpr double uniform_of(std::uint32_t high, std::uint32_t low) noexcept {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32U | low) >> 12U;  // 52 of them
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

/// Uniform in (0, 1).
constexpr double uniform_noise(const NoiseSource& source, std::uint64_t step) noexcept {
  const Philox bits = noise_bits(source, step);
  return uniform_of(bits[0], bits[1]);
}

/// Normal, mean 0, deviation 1 (Box and Muller). At most 8.6 in magnitude.
inline double normal_noise(const NoiseSource& source, std::uint64_t step) noexcept {
  const Philox bits = noise_bits(source, step);
  const double radius = std::sqrt(-2.0 * std::log(uniform_of(bits[0], bits[1])));
  return radius * std::cos(2.0 * std::numbers::pi * uniform_of(bits[2], bits[3]));
}

}  // namespace kinloop

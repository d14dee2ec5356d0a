// Owns Noise: pseudo-random numbers that are the same everywhere, to scatter starting points.
#pragma once

namespace kinloop {

class Noise {
 public:
  explicit Noise(unsigned long long seed) noexcept : state_(seed) {}

  /// In [-1, 1).
  double next() noexcept {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11U) / 4503599627370496.0 - 1.0;
  }

 private:
  unsigned long long state_;
};

}  // namespace kinloop

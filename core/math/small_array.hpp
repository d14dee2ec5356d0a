// Owns SmallArray: an array whose size the compiler may know. Code written for it serves both, and where the size is
// known loops over it are unrolled and nothing is looked up in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace kinloop {

/// A size that is found out at run time.
inline constexpr int kAnySize = -1;

/// The product of two sizes.
constexpr int size_product(int a, int b) noexcept { return a < 0 || b < 0 ? kAnySize : a * b; }

template <class T, int kSize>
class SmallArray {
 public:
  explicit SmallArray(int size) {
    if constexpr (kSize < 0) values_.resize(static_cast<std::size_t>(size));
  }

  T& operator[](int i) noexcept { return values_[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const noexcept { return values_[static_cast<std::size_t>(i)]; }
  auto begin() noexcept { return values_.begin(); }
  auto end() noexcept { return values_.end(); }
  auto begin() const noexcept { return values_.begin(); }
  auto end() const noexcept { return values_.end(); }

 private:
  static constexpr auto kStored = static_cast<std::size_t>(std::max(kSize, 1));  // a size of 0 is stored as 1
  std::conditional_t<(kSize < 0), std::vector<T>, std::array<T, kStored>> values_{};
};

}  // namespace kinloop

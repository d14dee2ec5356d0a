// Owns IndexedVector: a std::vector with the signed indices and counts of the mechanics and of Eigen.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace kinloop {

template <class T>
class IndexedVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  IndexedVector() = default;
  /// By name only: a copy on the way is an allocation.
  explicit IndexedVector(std::vector<T> values) noexcept : std::vector<T>(std::move(values)) {}

  T& operator[](std::integral auto i) noexcept { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
  const T& operator[](std::integral auto i) const noexcept {
    return std::vector<T>::operator[](static_cast<std::size_t>(i));
  }

  int count() const noexcept { return static_cast<int>(this->size()); }
};

}  // namespace kinloop

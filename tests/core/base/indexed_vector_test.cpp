// Tests that an IndexedVector is a std::vector that takes any integer as an index.
#include "core/base/indexed_vector.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace kinloop {
namespace {

TEST(IndexedVector, TakesSignedAndUnsignedIndices) {
  IndexedVector<double> values = {1.0, 2.0, 3.0};

  values[1] = 5.0;

  EXPECT_EQ(values[1], 5.0);
  EXPECT_EQ(values[std::size_t{1}], 5.0);
  EXPECT_EQ(values[std::ptrdiff_t{2}], 3.0);
  EXPECT_EQ(values.count(), 3);
}

TEST(IndexedVector, PassesForAStdVectorWithoutACopy) {
  IndexedVector<int> values(4, 7);

  const std::vector<int>& same = values;

  EXPECT_EQ(same.data(), values.data());
  EXPECT_EQ(values, std::vector<int>(4, 7));
}

}  // namespace
}  // namespace kinloop

// Tests the guess at what a misspelt name was meant to be.
#include "core/base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <array>

namespace kinloop {
namespace {

constexpr std::array<std::string_view, 4> kNames{"rod1", "rod12", "crank", "ground"};

TEST(NearestName, ForgivesASlip) {
  EXPECT_EQ(nearest_name("crnak", kNames), "crank");
  EXPECT_EQ(nearest_name("Ground", kNames), "ground");
  EXPECT_EQ(nearest_name("rod11", kNames), "rod1") << "a digit too many";
  EXPECT_EQ(nearest_name("wheel", kNames), "");
}

TEST(NearestName, AnotherNumberIsNoSlip) {
  EXPECT_EQ(nearest_name("rod3", kNames), "");
  EXPECT_EQ(did_you_mean("rood1", kNames), "; did you mean 'rod1'?");
}

}  // namespace
}  // namespace kinloop

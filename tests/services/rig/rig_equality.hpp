// Owns the comparison of rig descriptions, key by key, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/rig/rig_tables.hpp"

namespace kinloop::test {

/// All keys stand for the same bits, and so does what is derived from them.
inline void expect_equal(const RigSpec& a, const RigSpec& b) {
  std::vector<std::string> differing;
  compare_fields(rig_fields(), a, b, "", differing);
  EXPECT_EQ(differing, std::vector<std::string>{});
  EXPECT_EQ(a.overrun.levels, b.overrun.levels);
  ASSERT_EQ(a.commands.size(), b.commands.size());
  for (std::size_t i = 0; i < a.commands.size(); ++i) {
    EXPECT_EQ(a.commands[i].lower, b.commands[i].lower);
    EXPECT_EQ(a.commands[i].upper, b.commands[i].upper);
    EXPECT_EQ(a.commands[i].initial, b.commands[i].initial);
  }
}

}  // namespace kinloop::test

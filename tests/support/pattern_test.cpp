#include "tests/support/pattern.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace kinloop::test {
namespace {

TEST(Pattern, EveryMatchIsReplaced) {
  EXPECT_EQ(replaced("a: 1\nb: 2\na: 3\n", "a:.*\n", ""), "b: 2\n");
  EXPECT_EQ(replaced("see [this](there) and [that](here).", R"(\[([^]]*)\]\([^)]*\))", "$1"), "see this and that.");
  EXPECT_EQ(replaced("nothing", "x+", "y"), "nothing");
}

TEST(Pattern, ABadPatternIsRefused) { EXPECT_THROW(replaced("text", "(", ""), std::invalid_argument); }

}  // namespace
}  // namespace kinloop::test

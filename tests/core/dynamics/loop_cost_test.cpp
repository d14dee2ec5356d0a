// Tests which formulation `auto` takes for closed loops; the order of times was measured (docs/formulations.md).
#include "core/dynamics/loop_cost.hpp"

#include <gtest/gtest.h>

#include "core/dynamics/dynamics.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

std::string_view chosen(const ModelSpec& spec) { return choose_dynamics(mechanisms::compiled(spec)).name; }

TEST(LoopCost, TakesReductionWhereLoopsFollowEachOther) {
  for (const int n : {1, 2, 5, 20}) {
    EXPECT_EQ(chosen(mechanisms::ladder(n, 0, 0.0)), "rcr") << n;
    EXPECT_EQ(chosen(mechanisms::four_bar_chain(n)), "rcr") << n;
  }
  EXPECT_EQ(chosen(mechanisms::config("stewart_platform")), "rcr");
}

TEST(LoopCost, TakesDenseEquationsWhereSmallLoopsOverlap) {
  EXPECT_EQ(chosen(mechanisms::lattice(2, 2)), "semi_recursive_2");
  EXPECT_EQ(chosen(mechanisms::config("double_wishbone")), "semi_recursive_2");
}

TEST(LoopCost, GrowsLinearlyWithTheNumberOfWindows) {
  const LoopCost ten = estimate_loop_cost(mechanisms::compiled(mechanisms::ladder(10, 0, 0.0)));
  const LoopCost hundred = estimate_loop_cost(mechanisms::compiled(mechanisms::ladder(100, 0, 0.0)));

  EXPECT_LT(hundred.rcr_ns, 10.5 * ten.rcr_ns);
  EXPECT_GT(hundred.semi_recursive_2_ns, 50.0 * ten.semi_recursive_2_ns);
}

}  // namespace
}  // namespace kinloop

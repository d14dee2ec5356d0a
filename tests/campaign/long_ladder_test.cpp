// Loops chained beyond what can be solved together, in a position where short tails are poor from both ends.
#include <gtest/gtest.h>

#include "tests/adversary/judge.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop::adversary {
namespace {

TEST(LongLadder, EveryFormulationIsRight) {
  Draw draw;
  draw.family = "ladder";
  draw.spec = mechanisms::folded_ladder(50, 1e-7);
  JudgeOptions options;
  options.motion = false;  // which takes a minute: DelayedRows compares motions

  const Judgement judgement = judge(draw, options);

  EXPECT_GE(judgement.methods.size(), 5U);
  for (const Finding& finding : judgement.findings) {
    ADD_FAILURE() << finding.method << ", " << finding.check << ": " << finding.text;
  }
}

}  // namespace
}  // namespace kinloop::adversary

// Which of a model's parameters are offered for tuning.
#include "services/io/live_parameters.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

class LiveParametersTest : public TemporaryFolder {};

TEST_F(LiveParametersTest, TellWhichFollowFromOthers) {
  write("model.yaml", "parameters:\n  length: 2 m\n  half: length / 2\n  turn: 2 * pi\n");
  RigSpec rig;
  rig.model = folder_ / "model.yaml";

  LiveParameters parameters(rig);

  EXPECT_FALSE(parameters.is_derived(*parameters.find("length")));
  EXPECT_TRUE(parameters.is_derived(*parameters.find("half")));
  EXPECT_FALSE(parameters.is_derived(*parameters.find("turn"))) << "a number, however it is written";

  parameters.set({{"half", "1.5 m"}}, 1);

  EXPECT_FALSE(parameters.is_derived(*parameters.find("half"))) << "the expression was replaced";
}

}  // namespace
}  // namespace kinloop::io

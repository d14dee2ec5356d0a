// Tests what is said of actuators too slow for a linearization or a controller.
#include "core/plant/chain_warnings.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

/// Fields warned of, of a motor at a pendulum of about a metre: 3 rad/s.
std::vector<std::string> warned(const CommandChainSettings& chain) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  PlantSpec spec;
  ActuatorSpec motor;
  motor.chain = chain;
  spec.actuators = {motor};
  std::vector<std::string> fields;
  for (const Error& warning : chain_warnings(model, spec)) fields.push_back(warning.where);
  return fields;
}

using Fields = std::vector<std::string>;

TEST(ChainWarnings, AFastActuatorIsWell) {
  CommandChainSettings chain;
  chain.delay_s = 0.01;
  chain.lag_s = 0.02;
  chain.lower = -10.0;
  chain.upper = 10.0;
  chain.rate_per_s = 100.0;

  EXPECT_EQ(warned(chain), Fields{});
}

TEST(ChainWarnings, ADelayOfARadianIsNamed) {
  CommandChainSettings chain;
  chain.delay_s = 2.0;

  EXPECT_EQ(warned(chain), Fields{"actuators[0].delay"});
}

TEST(ChainWarnings, ALagThatLeavesNothingIsNamed) {
  CommandChainSettings chain;
  chain.lag_s = 3.0;

  EXPECT_EQ(warned(chain), Fields{"actuators[0].lag"});
}

TEST(ChainWarnings, ARateThatCannotFollowIsNamed) {
  CommandChainSettings chain;
  chain.lower = -10.0;
  chain.upper = 10.0;
  chain.rate_per_s = 1.0;

  EXPECT_EQ(warned(chain), Fields{"actuators[0].rate_limit"});
}

}  // namespace
}  // namespace kinloop

// Tests the account of energy on every rig that comes with the program: it closes to the order of the integrator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/plant/plant.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop {
namespace {

std::vector<std::string> all_rigs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(KINLOOP_SOURCE_DIR "/configs/rigs")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

int order_of(std::string_view integrator) {
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (kind.name == integrator) return kind.order;
  }
  return 0;
}

struct Accounted {
  EnergyBalance balance;
  int order;
};

/// Of half a second under commands a tenth of the way from the initial ones to their upper limits.
Accounted accounted(const LoadedRig& rig, int times_shorter) {
  PlantSpec spec = rig.spec.plant;
  spec.dt_s /= times_shorter;
  spec.accounts_energy = true;
  const auto plant = std::move(Plant::make(rig.model.model, spec)).value();
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant->actuator_count());
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    const ActuatorSpec& actuator = spec.actuators[i];
    const double room = std::isfinite(actuator.chain.upper) ? actuator.chain.upper - actuator.initial : 1.0;
    input.command[i] = actuator.initial + 0.1 * room;
  }
  State state = plant->initial_state();
  for (int i = 0; i < static_cast<int>(std::lround(0.5 / spec.dt_s)); ++i) {
    EXPECT_EQ(plant->step(input, state), StepStatus::kOk);
  }
  return {*plant->energy(), order_of(plant->integrator(0).name)};
}

class EnergyOfRigs : public ::testing::TestWithParam<std::string> {};

// A step half as long leaves 1 / 2^order of the rest, with room for higher orders that have not died out, until sums of
// so many numbers are rounded.
TEST_P(EnergyOfRigs, IsAccountedForToTheOrderOfTheIntegrator) {
  constexpr double kRounding = 1e-12;
  constexpr double kShareOfTheOrder = 0.6;
  const auto rig = load_rig(KINLOOP_SOURCE_DIR "/configs/rigs/" + GetParam() + ".yaml");
  ASSERT_TRUE(rig);

  const auto [whole, order] = accounted(*rig, 1);
  const EnergyBalance half = accounted(*rig, 2).balance;

  EXPECT_GT(whole.exchanged_J, 0.0);
  EXPECT_LT(std::abs(whole.rest_J), 3e-3 * whole.exchanged_J);
  const double expected_J = std::abs(whole.rest_J) / (kShareOfTheOrder * std::pow(2.0, order));
  EXPECT_LT(std::abs(half.rest_J), std::max(expected_J, kRounding * half.exchanged_J));
  EXPECT_LT(std::abs(half.projection_J), 1e-5 * half.exchanged_J);
}

INSTANTIATE_TEST_SUITE_P(All, EnergyOfRigs, ::testing::ValuesIn(all_rigs()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kinloop

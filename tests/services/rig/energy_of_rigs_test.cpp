// Tests the account of energy on every rig that comes with the program: it closes as the step is made shorter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/analysis/energy_account.hpp"
#include "core/plant/coordinate_names.hpp"
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

/// Of half a second under commands a tenth of the way from the initial ones to their upper limits.
EnergyBalance balance_of(const LoadedRig& rig, int times_shorter) {
  PlantSpec spec = rig.spec.plant;
  spec.dt_s /= times_shorter;
  const Model& model = rig.model.model;
  const auto plant = std::move(Plant::make(model, spec)).value();
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant->actuator_count());
  std::vector<int> coordinates;
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    const ActuatorSpec& actuator = spec.actuators[i];
    const double room = std::isfinite(actuator.chain.upper) ? actuator.chain.upper - actuator.initial : 1.0;
    input.command[i] = actuator.initial + 0.1 * room;
    coordinates.push_back(model.coordinate(find_speed(model, actuator.joint).value()).q);
  }
  State state = plant->initial_state();
  EnergyAccount account(model, state);
  for (int i = 0; i < static_cast<int>(std::lround(0.5 / spec.dt_s)); ++i) {
    const VectorX before = state.q();
    EXPECT_EQ(plant->step(input, state), StepStatus::kOk);
    double work_J = 0.0;
    for (std::size_t a = 0; a < coordinates.size(); ++a) {
      work_J += plant->force_of(a, state) * (state.q()[coordinates[a]] - before[coordinates[a]]);
    }
    account.add(state, work_J);
  }
  return account.balance();
}

class EnergyOfRigs : public ::testing::TestWithParam<std::string> {};

TEST_P(EnergyOfRigs, IsAccountedFor) {
  const auto rig = load_rig(KINLOOP_SOURCE_DIR "/configs/rigs/" + GetParam() + ".yaml");
  ASSERT_TRUE(rig);

  const EnergyBalance usual = balance_of(*rig, 1);
  const EnergyBalance fine = balance_of(*rig, 8);

  EXPECT_GT(usual.exchanged_J, 0.0);
  EXPECT_LT(std::abs(usual.rest_J), 0.05 * usual.exchanged_J);
  EXPECT_LT(std::abs(fine.rest_J), std::max(0.25 * std::abs(usual.rest_J), 1e-4 * fine.exchanged_J));
}

INSTANTIATE_TEST_SUITE_P(All, EnergyOfRigs, ::testing::ValuesIn(all_rigs()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kinloop

// Tests that the machines of configs/rigs start in balance: what their actuators apply at first is what they carry.
#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/plant/coordinate_names.hpp"
#include "services/base/diagnostics.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"

namespace kinloop {
namespace {

double first_force(const ActuatorSpec& actuator) {
  if (actuator.kind == ActuatorKind::kForce) return actuator.initial;
  const CylinderSettings& cylinder = actuator.cylinder;
  const double piston_m2 = std::numbers::pi / 4.0 * cylinder.bore_m * cylinder.bore_m;
  const double rod_m2 = std::numbers::pi / 4.0 * cylinder.rod_m * cylinder.rod_m;
  return cylinder.initial_a_Pa * piston_m2 - cylinder.initial_b_Pa * (piston_m2 - rod_m2);
}

/// The largest acceleration of any coordinate at the start, m/s^2 or rad/s^2.
double largest_acceleration(const std::string& name) {
  const auto rig = load_rig(test::rig_path(name));
  if (!rig) ADD_FAILURE() << to_text(rig.error());
  const Model& model = rig->model.model;
  State state(model);
  Workspace ws(model);
  Loads loads(model);
  for (const ActuatorSpec& actuator : rig->spec.plant.actuators) {
    loads.tau[find_speed(model, actuator.joint).value()] += first_force(actuator);
  }
  auto dynamics = make_dynamics("auto", model);
  EXPECT_EQ(accelerations(model, state, loads, **dynamics, ws), StepStatus::kOk);
  return ws.vdot.cwiseAbs().maxCoeff();
}

// Pressures and forces are written with four digits of some 300 kN, and the lightest thing they move weighs 100 kg.
constexpr double kStill = 0.05;

TEST(HeldRigs, TheOilOfTheExcavatorCarriesItsArm) { EXPECT_LT(largest_acceleration("excavator"), kStill); }

TEST(HeldRigs, TheLegsOfTheHexapodCarryItsCabin) { EXPECT_LT(largest_acceleration("stewart"), kStill); }

}  // namespace
}  // namespace kinloop

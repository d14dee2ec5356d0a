// Tests that the machines of configs/models with shut valves start in balance: what they write as held loads is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/constraints/compile.hpp"
#include "core/constraints/constraints.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/loads.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "services/files/load_model.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop {
namespace {

enum class Valves { kShut, kOpen };

ModelSpec machine(const std::string& name) { return read_model_file(test::config_path(name)).value(); }

JointSpec& held_machines_joint(ModelSpec& spec, const std::string& name) {
  return *std::find_if(spec.joints.begin(), spec.joints.end(), [&](const JointSpec& j) { return j.name == name; });
}

/// Accelerations of the speeds at the start, from rest, with the loops kept closed: Gauss' principle, dense.
VectorX accelerations_from_rest(ModelSpec spec, Valves valves) {
  if (valves == Valves::kOpen) {
    for (JointSpec& candidate : spec.joints) candidate.coordinates.clear();
  }
  const Model model = compile(spec).value();
  State state(model);
  state.v().setZero();
  Workspace ws(model);
  MatrixX C(constraint_rows(model), model.nv());
  std::vector<SpatialVector> wrench(static_cast<std::size_t>(model.body_count()));
  VectorX needed = VectorX::Zero(model.nv());  // to hold everything where it is
  MatrixX M;
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);
  constraint_matrix(model, ws, C);
  add_forces(model, state.q().data(), state.v().data(), Loads(model), ws);
  ws.vdot.setZero();
  update_body_accelerations(model, ws);
  joint_reactions(model, ws, {}, wrench);
  generalized_forces(model, ws, wrench, needed);
  mass_matrix(model, ws, M);

  const MatrixX N = dense::null_space(C, 1e-9);
  const MatrixX reduced = N.transpose() * M * N;
  const VectorX force = N.transpose() * (ws.tau - needed);
  return N * dense::solve_symmetric(reduced, force);
}

// The held loads are written to 1 N of some 300 kN, and the lightest thing they move weighs 100 kg.
constexpr double kStill = 0.02;  // m/s^2 or rad/s^2

TEST(HeldMachines, ExcavatorStartsAtRestAndFallsWithOpenValves) {
  const ModelSpec spec = machine("excavator");

  EXPECT_LT(accelerations_from_rest(spec, Valves::kShut).cwiseAbs().maxCoeff(), kStill);
  EXPECT_GT(accelerations_from_rest(spec, Valves::kOpen).cwiseAbs().maxCoeff(), 1.0);
}

TEST(HeldMachines, CraneStartsAtRestUnderAHangingLoad) {
  LoadOptions hanging;
  hanging.parameters = {{"load_angle", "0 deg"}};
  const LoadedModel crane = load_model(test::config_path("knuckle_boom_crane"), hanging).value();
  const ModelSpec& spec = crane.model.spec();

  EXPECT_LT(accelerations_from_rest(spec, Valves::kShut).cwiseAbs().maxCoeff(), kStill);
  EXPECT_GT(accelerations_from_rest(spec, Valves::kOpen).cwiseAbs().maxCoeff(), 1.0);
}

TEST(HeldMachines, WishboneStartsAtRestOnALevelPlate) {
  ModelSpec spec = machine("double_wishbone");
  const double bumped = accelerations_from_rest(spec, Valves::kShut).cwiseAbs().maxCoeff();
  held_machines_joint(spec, "shaker").initial_q = {0.0};
  held_machines_joint(spec, "shaker").coordinates.front().rest = 0.0;

  const double level = accelerations_from_rest(spec, Valves::kShut).cwiseAbs().maxCoeff();

  EXPECT_LT(level, kStill);
  EXPECT_GT(bumped, 50.0);  // 4.4 kN on 45 kg, seen at a lever of 0.35 m
}

}  // namespace
}  // namespace kinloop

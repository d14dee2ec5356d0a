// Tests the order of convergence of every integrator, on chains, rotations and driven joints.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/kinematics/configuration.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

/// Measured slopes lie this near to the order: what is left are the next terms of the error at steps that are not tiny.
constexpr double kSlopeTolerance = 0.2;
constexpr double kDuration_s = 0.5;
constexpr int kReferenceSteps = 16384;

ModelSpec driven_double_pendulum() {
  ModelSpec spec = mechanisms::double_pendulum();
  FunctionSpec motion;
  motion.polynomial = {0.4, 0.3};
  motion.frequency_rad = 5.0;
  motion.harmonics = {{0.2, -0.3}};
  spec.joints[0].initial_q = {};
  spec.joints[0].initial_u = {};
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].motion = motion;
  return spec;
}

/// Soft force elements of every kind, so that the implicit method's matrices are all in use.
ModelSpec springy_tree() {
  return mechanisms::random_tree(21, 8, {.joint_forces = true, .armature = true, .springs = true, .bushings = true});
}

struct Case {
  std::string name;
  ModelSpec (*spec)();
  int coarse_steps;
};

void PrintTo(const Case& mechanism, std::ostream* out) { *out << mechanism.name; }

const Case kCases[] = {
    {"chain", [] { return mechanisms::chain(3); }, 128},
    {"double_pendulum", mechanisms::double_pendulum, 128},
    {"free_body", mechanisms::free_body, 16},
    {"spherical_top", mechanisms::spherical_top, 128},
    {"driven", driven_double_pendulum, 128},
    {"springy_tree", springy_tree, 256},
};

class IntegratorOrder : public ::testing::TestWithParam<std::tuple<IntegratorKind, Case>> {};

State end_of_run(const Model& model, std::string_view integrator, int steps) {
  Simulation simulation(model, integrator);
  EXPECT_EQ(simulation.run(kDuration_s / steps, steps), StepStatus::kOk);
  return simulation.state;
}

double distance(const Model& model, const State& a, const State& b) {
  VectorX difference(model.nv());
  configuration_difference(model, a.q().data(), b.q().data(), difference.data());
  return std::max(difference.cwiseAbs().maxCoeff(), (a.v() - b.v()).cwiseAbs().maxCoeff());
}

TEST_P(IntegratorOrder, IsTheStatedOne) {
  const auto& [kind, mechanism] = GetParam();
  const Model model = mechanisms::compiled(mechanism.spec());
  const State reference = end_of_run(model, "rk4", kReferenceSteps);
  // Methods of order 1 and 2 show their slope only where the error is small.
  const int steps = kind.order < 3 ? 4 * mechanism.coarse_steps : mechanism.coarse_steps;

  const double coarse = distance(model, end_of_run(model, kind.name, steps), reference);
  const double fine = distance(model, end_of_run(model, kind.name, 2 * steps), reference);

  const double slope = std::log2(coarse / fine);
  RecordProperty("slope", std::to_string(slope));
  // Without torque only the drift of free bodies is left, which is symmetric.
  const bool only_drifts = kind.name == "semi_implicit_euler" && mechanism.name == "free_body";
  EXPECT_NEAR(slope, only_drifts ? 2 : kind.order, kSlopeTolerance) << "errors " << coarse << " and " << fine;
}

INSTANTIATE_TEST_SUITE_P(All, IntegratorOrder,
                         ::testing::Combine(::testing::ValuesIn(integrator_kinds().begin(), integrator_kinds().end()),
                                            ::testing::ValuesIn(kCases)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace kinloop

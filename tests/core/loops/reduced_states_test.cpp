// The states of paper 001 that the program does not keep: independents alone, with the loops closed in every stage
// (28), against all coordinates with the loops closed once a step. What either costs and leaves open is in
// docs/theory/constraints.md §5.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "core/constraints/constraints.hpp"
#include "core/integrators/stage.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

constexpr double kClosedInStages = 1e-11;

/// Runge-Kutta's method of order 4 over the independents of `partition`. For models without quaternions and drives.
class ReducedSteps {
 public:
  explicit ReducedSteps(Simulation& simulation)
      : s_(simulation), C_(constraint_rows(s_.model), s_.model.nv()), target_(s_.model), error_(C_.rows()) {}

  [[gnu::noinline]] StepStatus step(double dt_s) {
    s_.dynamics->begin_step(s_.state);
    const VectorX q0 = s_.state.q();
    const VectorX v0 = s_.state.v();
    VectorX q = q0;
    VectorX v = v0;
    VectorX q_sum = VectorX::Zero(q.size());
    VectorX v_sum = q_sum;
    const std::array<double, 4> nodes{0.0, 0.5, 0.5, 1.0};
    const std::array<double, 4> weights{1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i > 0) {
        q = q0 + nodes[i] * dt_s * v;
        v = v0 + nodes[i] * dt_s * s_.ws.vdot;
        close(q, v);
      }
      const StepStatus status = evaluate(s_.model, q.data(), v.data(), 0.0, s_.loads, *s_.dynamics, s_.ws);
      if (status != StepStatus::kOk) return status;
      if (i == 0) s_.dynamics->end_step(s_.state);  // writes the independents that it chose
      largest_open_ = std::max(largest_open_, closure_error(s_.ws));
      q_sum += weights[i] * v;
      v_sum += weights[i] * s_.ws.vdot;
    }
    q = q0 + dt_s * q_sum;
    v = v0 + dt_s * v_sum;
    close(q, v);
    s_.state.q() = q;
    s_.state.v() = v;
    s_.state.time_s() += dt_s;
    return StepStatus::kOk;
  }

  double largest_open() const { return largest_open_; }

 private:
  /// Dependents from independents: closed forms, Newton's method for what they leave; then u_D = -C_D^-1 C_I u_I.
  void close(VectorX& q, VectorX& v) {
    s_.dynamics->solve_dependents(q);
    std::vector<int> dependents;
    for (int i = 0; i < s_.model.nv(); ++i) {
      if (s_.state.independent()[i] != 1.0) dependents.push_back(i);
    }
    for (int i = 0; i < 10; ++i) {
      update_kinematics(s_.model, q.data(), v.data(), 0.0, s_.ws);
      update_loop_constraints(s_.model, q.data(), v.data(), 0.0, s_.ws);
      constraint_matrix(s_.model, s_.ws, C_);
      of_dependents_.compute(C_(Eigen::all, dependents));
      if (closure_error(s_.ws) <= kClosedInStages) break;
      position_correction(s_.model, s_.ws, target_);
      constraint_values(s_.model, s_.ws, target_, error_);
      q(dependents) += of_dependents_.solve(error_);
    }
    velocity_correction(s_.model, s_.ws, target_);
    constraint_values(s_.model, s_.ws, target_, error_);
    v(dependents) += of_dependents_.solve(error_);
  }

  Simulation& s_;
  MatrixX C_;
  ConstraintTarget target_;
  VectorX error_;
  Eigen::ColPivHouseholderQR<MatrixX> of_dependents_;
  double largest_open_ = 0.0;
};

struct ReducedCase {
  ModelSpec spec;
  double dt_s;
};

std::vector<ReducedCase> reduced_cases() {
  return {{mechanisms::config("four_bar"), 1e-3},
          {mechanisms::n_four_bar(5, 1.4, -1.0), 1e-3},
          {mechanisms::config("andrews_squeezer"), 2e-5}};
}

/// The largest change of the energy over these steps, against what it has.
double energy_drift(Simulation& simulation, int steps, const std::function<StepStatus()>& step) {
  const double before = energy_of(simulation);
  const double scale = std::abs(before) + energies_of(simulation).kinetic_J;
  double drift = 0.0;
  for (int i = 0; i < steps; ++i) {
    EXPECT_EQ(step(), StepStatus::kOk);
    drift = std::max(drift, std::abs(energy_of(simulation) - before));
  }
  return drift / scale;
}

TEST(ReducedStates, MoveTheMechanismAsAllCoordinatesDo) {
  for (const ReducedCase& c : reduced_cases()) {
    const Model model = mechanisms::compiled(c.spec);
    Simulation all(model, "rk4", "partition");
    Simulation reduced(model, "rk4", "partition");
    ReducedSteps steps(reduced);

    ASSERT_EQ(all.run(c.dt_s, 400), StepStatus::kOk) << c.spec.name;
    for (int i = 0; i < 400; ++i) ASSERT_EQ(steps.step(c.dt_s), StepStatus::kOk) << c.spec.name;

    const double largest = std::max(1.0, all.state.q().lpNorm<Eigen::Infinity>());
    EXPECT_LT((all.state.q() - reduced.state.q()).lpNorm<Eigen::Infinity>(), 1e-6 * largest) << c.spec.name;
    EXPECT_LT(steps.largest_open(), 1e-10) << c.spec.name;
  }
}

TEST(ReducedStates, KeepNoMoreEnergyThanAllCoordinatesDo) {
  for (const ReducedCase& c : reduced_cases()) {
    ModelSpec spec = c.spec;
    for (JointSpec& joint : spec.joints) joint.coordinates.clear();  // nothing drives or brakes it
    const Model model = mechanisms::compiled(spec);
    Simulation all(model, "rk4", "partition");
    Simulation reduced(model, "rk4", "partition");
    ReducedSteps steps(reduced);

    const double drift_of_all = energy_drift(all, 500, [&] { return all.step(c.dt_s); });
    const double drift_of_reduced = energy_drift(reduced, 500, [&] { return steps.step(c.dt_s); });

    EXPECT_LT(drift_of_all, 10.0 * drift_of_reduced + 1e-12) << spec.name;
  }
}

}  // namespace
}  // namespace kinloop

// Evaluates each case as the solver would meet it, and measures the distance to what is expected.
#include "services/cli/vector_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/reactions.hpp"
#include "core/dynamics/energy.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

/// The error of one quantity in one case, over all its components.
class ErrorOf {
 public:
  void add(double actual, double expected) noexcept {
    const double difference = std::abs(actual - expected);
    difference_ = std::isfinite(difference) ? std::max(difference_, difference) : kInfinity;
    reference_ = std::max(reference_, std::abs(expected));
    any_ = true;
  }
  template <class Actual, class Expected>
  void add_all(const Eigen::MatrixBase<Actual>& actual, const Eigen::MatrixBase<Expected>& expected) noexcept {
    for (Eigen::Index column = 0; column < expected.cols(); ++column) {
      for (Eigen::Index row = 0; row < expected.rows(); ++row) add(actual(row, column), expected(row, column));
    }
  }
  void into(std::optional<double>& worst) const noexcept {
    if (any_) worst = std::max(worst.value_or(0.0), difference_ / std::max(1.0, reference_));
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double difference_ = 0.0;
  double reference_ = 0.0;
  bool any_ = false;
};

Loads loads_of_case(const Model& model, const VectorCase& one) {
  Loads loads(model);
  loads.tau = Eigen::Map<const VectorX>(one.tau.data(), model.nv());
  for (const AppliedWrench& wrench : one.external) {
    loads.wrenches.push_back({model.find_body(wrench.body), wrench.point, wrench.force, wrench.moment});
  }
  return loads;
}

void compare_bodies(const Model& model, const Workspace& ws, const ExpectedValues& expected, VectorErrors& errors) {
  ErrorOf R, p, omega, v_origin, alpha, a_origin, a_com;  // NOLINT(readability-isolate-declaration)
  for (const ExpectedBody& body : expected.bodies) {
    const BodyOutput actual = body_output(model, ws, model.find_body(body.name));
    R.add_all(actual.R, body.R);
    p.add_all(actual.p, body.p);
    omega.add_all(actual.omega, body.omega);
    v_origin.add_all(actual.v_origin, body.v_origin);
    alpha.add_all(actual.alpha, body.alpha);
    a_origin.add_all(actual.a_origin, body.a_origin);
    a_com.add_all(actual.a_com, body.a_com);
  }
  for (const ErrorOf* error : {&R, &p, &omega, &v_origin}) error->into(errors.motion);
  for (const ErrorOf* error : {&alpha, &a_origin, &a_com}) error->into(errors.acceleration);
}

void compare_reactions(const Model& model, const Workspace& ws, const ExpectedValues& expected, VectorErrors& errors) {
  const Reactions reactions = find_reactions(model, ws);
  ErrorOf force;
  ErrorOf moment;
  for (const ExpectedReaction& reaction : expected.reactions) {
    const int k = model.find_joint(reaction.joint);
    const auto loop = std::find_if(model.loops().begin(), model.loops().end(),
                                   [&](const LoopJoint& l) { return l.name == reaction.joint; });
    if (k < 0 && loop == model.loops().end()) {  // merged with its body
      ++errors.skipped;
      continue;
    }
    const Reaction& actual = k >= 0 ? reactions.joints[static_cast<std::size_t>(k)]
                                    : reactions.loops[static_cast<std::size_t>(loop - model.loops().begin())];
    for (int i = 0; i < 3; ++i) {
      const auto c = static_cast<std::size_t>(i);
      // What the file takes for determined and we do not is no agreement.
      const double none = std::numeric_limits<double>::quiet_NaN();
      if (reaction.unique[c]) force.add(actual.unique[c] ? actual.wrench.linear[i] : none, reaction.force[i]);
      if (reaction.unique[3 + c]) {
        moment.add(actual.unique[3 + c] ? actual.wrench.angular[i] : none, reaction.moment[i]);
      }
    }
  }
  force.into(errors.reactions);
  moment.into(errors.reactions);
}

void compare_energy(const Model& model, const State& state, const Workspace& ws, const ExpectedValues& expected,
                    VectorErrors& errors) {
  const Energy actual = energy(model, state.q().data(), state.v().data(), ws);
  ErrorOf kinetic;
  ErrorOf potential;
  kinetic.add(actual.kinetic_J, expected.kinetic_energy);
  potential.add(actual.potential_J, expected.potential_energy);
  kinetic.into(errors.energy);
  potential.into(errors.energy);
}

}  // namespace

double VectorComparison::worst() const noexcept {
  if (status != StepStatus::kOk) return std::numeric_limits<double>::infinity();
  double result = 0.0;
  for (const auto& error : {errors.udot, errors.motion, errors.acceleration, errors.reactions, errors.energy}) {
    result = std::max(result, error.value_or(0.0));
  }
  return result;
}

VectorComparison compare_with_vectors(const LoadedModel& file, Dynamics& dynamics) {
  const Model& model = file.model;
  VectorComparison result;
  Workspace ws(model);
  State state(model);
  for (const VectorCase& one : file.cases) {
    state.q() = Eigen::Map<const VectorX>(one.q.data(), model.nq());
    state.v() = Eigen::Map<const VectorX>(one.u.data(), model.nv());
    result.status = accelerations(model, state, loads_of_case(model, one), dynamics, ws);
    if (result.status != StepStatus::kOk) return result;

    ErrorOf udot;
    udot.add_all(ws.vdot, Eigen::Map<const VectorX>(one.expected.udot.data(), model.nv()));
    udot.into(result.errors.udot);
    compare_bodies(model, ws, one.expected, result.errors);
    compare_reactions(model, ws, one.expected, result.errors);
    compare_energy(model, state, ws, one.expected, result.errors);
  }
  return result;
}

}  // namespace kinloop

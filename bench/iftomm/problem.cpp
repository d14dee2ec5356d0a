// Reads what a problem scores from a state.
#include "bench/iftomm/problem.hpp"

#include <Eigen/Geometry>

#include "core/dynamics/energy.hpp"
#include "core/kinematics/body_output.hpp"

namespace kinloop::bench {

Observer point_observer(const Model& model, const std::string& body, const Vector3& point, std::vector<int> axes,
                        Observe what) {
  const int index = model.find_body(body);
  require(index >= 0, "the observed body exists");
  return [=](const Model& of, const State& /*state*/, const Workspace& ws) {
    const BodyOutput output = body_output(of, ws, index);
    const Vector3 arm = output.R * point;
    const Vector3 p = output.p + arm, v = output.v_origin + output.omega.cross(arm);
    const auto n = static_cast<Eigen::Index>(axes.size());
    VectorX out(what == Observe::kPosition ? n : 2 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      out[i] = p[axes[static_cast<std::size_t>(i)]];
      if (what == Observe::kPositionAndVelocity) out[n + i] = v[axes[static_cast<std::size_t>(i)]];
    }
    return out;
  };
}

double balanced_energy_J(const Problem& problem, const State& state, const Workspace& ws) {
  const Model& model = problem.model;
  double work_J = 0.0;
  for (int i = 0; i < model.nv(); ++i) {
    const int q = model.coordinate(i).q;
    if (problem.loads.tau[i] != 0.0) work_J += problem.loads.tau[i] * (state.q()[q] - model.initial_q()[q]);
  }
  return energy(model, state.q().data(), state.v().data(), ws).total_J() - work_J;
}

}  // namespace kinloop::bench

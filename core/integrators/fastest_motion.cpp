// Projects mass, stiffness and damping onto the motions that the constraints allow: Z^T M Z, Z^T K Z, Z^T C Z.
#include "core/integrators/fastest_motion.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/at.hpp"
#include "core/constraints/allowed_motions.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_tangent.hpp"
#include "core/forces/touch_tangent.hpp"
#include "core/integrators/free_rotation.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

/// Whether the lightest of the motions moves inertia: more than what rounding leaves of sums that should vanish.
bool moves_inertia(const MatrixX& mass, const MatrixX& Z, const MatrixX& M) {
  constexpr double kRounding = 1e-13;
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(mass);
  const VectorX lightest = Z * solver.eigenvectors().col(0);
  const VectorX parts = lightest.cwiseAbs();
  const double moved = lightest.dot(M * lightest);
  return moved > kRounding * parts.dot(M.cwiseAbs() * parts);
}

/// Largest eigenvalue of stiffness against mass, and the speed that moves most in it.
struct Largest {
  double value = 0.0;
  int speed = -1;
};

Largest largest_eigenvalue(const MatrixX& stiffness, const MatrixX& mass, const MatrixX& Z, const MatrixX& M) {
  if (stiffness.cwiseAbs().maxCoeff() == 0.0) return {};
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(stiffness, mass);
  const Eigen::Index last = stiffness.rows() - 1;
  const VectorX motion = Z * solver.eigenvectors().col(last);
  Largest largest{solver.eigenvalues()[last], 0};
  // Weighed with inertia, since speeds in m/s and in rad/s cannot be compared as they are.
  (motion.cwiseAbs2().cwiseProduct(M.diagonal())).maxCoeff(&largest.speed);
  return largest;
}

/// Of all that stops a speed at the end of its range.
double stop_stiffness(const Model& model, int speed) {
  double sum = 0.0;
  for (const ForceElementKind* kind : force_element_kinds()) {
    if (kind->stop_stiffness != nullptr) sum += kind->stop_stiffness(model, speed);
  }
  return sum;
}

/// Bodies on joints that turn about any axis, or about one that another joint turns, and what hangs on them: those
/// have a gyroscopic term.
std::vector<char> gyrating_bodies(const Model& model, const Workspace& ws) {
  constexpr double kParallel = 1e-9;
  std::vector<char> gyrates(at(model.body_count()), 0);
  std::vector<Vector3> axis(gyrates.size(), Vector3::Zero());  // about which all joints inboard of a body turn
  for (const int k : model.quaternion_bodies()) gyrates[at(k)] = 1;
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const auto b = at(k);
    const auto parent = at(body.parent);
    if (gyrates[parent] != 0) gyrates[b] = 1;
    axis[b] = axis[parent];
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const Vector3 turns = ws.Hw[at(i)].eigen();
      if (turns.norm() <= kParallel) continue;
      if (axis[b].isZero(0.0)) axis[b] = turns.normalized();
      if (axis[b].cross(turns).norm() > kParallel * turns.norm()) gyrates[b] = 1;
    }
  }
  return gyrates;
}

}  // namespace

FastestMotion with_drives(FastestMotion motion, std::span<const Drive> drives) {
  motion.drive_per_s = 0.0;
  motion.drive = -1;
  if (motion.mobility.size() == 0) return motion;
  for (std::size_t d = 0; d < drives.size(); ++d) {
    const double rate_per_s = drives[d].damping * motion.mobility[drives[d].speed];
    if (rate_per_s <= motion.drive_per_s) continue;
    motion.drive_per_s = rate_per_s;
    motion.drive = static_cast<int>(d);
  }
  return motion;
}

FastestMotion fastest_motion(const Model& model, const State& state, const Workspace& ws,
                             std::span<const Drive> drives) {
  FastestMotion result;
  const std::vector<char> gyrates = gyrating_bodies(model, ws);
  const FreeRotation drift(model);
  for (const int k : model.quaternion_bodies()) {
    if (result.ball_body < 0 && !drift.is_for(k)) result.ball_body = k;
  }
  for (int k = 1; k < model.body_count(); ++k) {
    if (gyrates[at(k)] == 0) continue;
    const double turns_rad_s = ws.motion[at(k)].w.eigen().norm();
    if (turns_rad_s > result.rough_spin_rad_s && !drift.is_for(k)) {
      result.rough_spin_rad_s = turns_rad_s;
      result.rough_spin_body = k;
    }
    if (turns_rad_s <= result.spin_rad_s) continue;
    result.spin_rad_s = turns_rad_s;
    result.spin_body = k;
  }
  const MatrixX Z = allowed_motions(model, ws);
  if (Z.cols() == 0) return result;
  MatrixX M;
  mass_matrix(model, ws, M);
  const MatrixX mass = Z.transpose() * M * Z;
  if (!moves_inertia(mass, Z, M)) {
    result.regular = false;
    return result;
  }
  const Eigen::LDLT<MatrixX> factor(mass);

  ForceTangent tangent(model);
  tangent.update(model, state.q().data(), state.v().data(), ws);
  const Largest spring = largest_eigenvalue(Z.transpose() * tangent.K() * Z, mass, Z, M);
  const Largest damper = largest_eigenvalue(Z.transpose() * tangent.C() * Z, mass, Z, M);
  result.frequency_rad_s = std::sqrt(std::max(0.0, spring.value));
  result.frequency_speed = spring.speed;
  result.decay_per_s = damper.value;
  result.decay_speed = damper.speed;

  ForceTangent touches(model);
  if (add_touch_tangents(model, state.q().data(), state.v().data(), ws, touches)) {
    const Largest touch = largest_eigenvalue(Z.transpose() * touches.K() * Z, mass, Z, M);
    result.touch_rad_s = std::sqrt(std::max(0.0, touch.value));
    result.touch_decay_per_s = largest_eigenvalue(Z.transpose() * touches.C() * Z, mass, Z, M).value;
    result.touch_speed = touch.speed;
  }

  result.mobility.resize(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    const VectorX along = Z.row(i).transpose();
    result.mobility[i] = along.dot(factor.solve(along));
  }
  for (int i = 0; i < model.nv(); ++i) {
    const double stiffness = stop_stiffness(model, i);
    if (stiffness == 0.0) continue;
    const double frequency = std::sqrt(std::max(0.0, stiffness * result.mobility[i]));
    if (frequency <= result.stop_rad_s) continue;
    result.stop_rad_s = frequency;
    result.stop_speed = i;
  }
  return with_drives(std::move(result), drives);
}

FastestMotion fastest_at_start(const Model& model, std::span<const Drive> drives) {
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state.q().data(), state.v().data(), ws);
  return fastest_motion(model, state, ws, drives);
}

}  // namespace kinloop

// Reflected inertias: 1 / (z_i^T (Z^T M Z)^-1 z_i), z_i being row i of the allowed motions Z.
#include "core/constraints/end_stops.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "core/base/field_path.hpp"
#include "core/constraints/allowed_motions.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/model/locked_inertia.hpp"

namespace kinloop {
namespace {

/// Bodies whose loops let them move this much faster than the joint count as this much faster: at a dead centre the
/// ratio is infinite.
constexpr double kMaxLeverage = 30.0;

/// Of more speeds the motions are not sought: it would take longer than the rest of the start.
constexpr int kMaxSpeeds = 400;

/// Z^T M Z by the bodies' velocities in each of the motions.
MatrixX mass_of(const Model& model, const MatrixX& Z, Workspace& ws) {
  struct Moving {
    Vec3 w, v;
  };
  const auto bodies = static_cast<std::size_t>(model.body_count());
  const auto motions = static_cast<std::size_t>(Z.cols());
  std::vector<Moving> moving(motions * bodies);
  for (std::size_t c = 0; c < motions; ++c) {
    const VectorX v = Z.col(static_cast<Eigen::Index>(c));
    update_velocities(model, v.data(), ws);
    for (std::size_t b = 1; b < bodies; ++b) moving[c * bodies + b] = {ws.motion[b].w, ws.motion[b].v};
  }
  MatrixX mass = MatrixX::Zero(Z.cols(), Z.cols());
  for (int i = 0; i < model.nv(); ++i) mass += model.coordinate(i).armature * Z.row(i).transpose() * Z.row(i);
  for (std::size_t c = 0; c < motions; ++c) {
    for (std::size_t d = 0; d <= c; ++d) {
      double sum = 0.0;
      for (std::size_t b = 1; b < bodies; ++b) {
        const Moving& m = moving[c * bodies + b];
        const Moving& n = moving[d * bodies + b];
        const BodyLoad& load = ws.load[b];
        sum += dot(m.w, load.J * n.w) + model.body(static_cast<int>(b)).mass * dot(m.v, n.v) +
               dot(m.v, cross(n.w, load.mc)) + dot(n.v, cross(m.w, load.mc));
      }
      const auto row = static_cast<Eigen::Index>(c);
      const auto column = static_cast<Eigen::Index>(d);
      mass(row, column) += sum;
      if (row != column) mass(column, row) += sum;
    }
  }
  return mass;
}

/// Of the speeds given; 0 where it is not known.
VectorX reflected_inertias(const Model& model, const VectorX& locked, const std::vector<BareStop>& of) {
  VectorX result = VectorX::Zero(model.nv());
  Workspace ws(model);
  const VectorX at_rest = VectorX::Zero(model.nv());
  update_kinematics(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  update_loop_constraints(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  const MatrixX Z = allowed_motions(model, ws);
  if (Z.cols() == 0) return result;
  // What leverage is counted from: the largest inertia of all, as if it moved as fast as the joint.
  double largest = 0.0;
  VectorX size(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    size[i] = speed_size(ws, i, model.length_m());
    largest = std::max(largest, locked[i] / (size[i] * size[i]));
  }
  const MatrixX mass = mass_of(model, Z, ws);
  const Eigen::LDLT<MatrixX> factor(mass);
  if (factor.info() != Eigen::Success || !factor.isPositive()) return result;
  for (const BareStop& stop : of) {
    const VectorX along = Z.row(stop.speed).transpose();
    const VectorX answer = factor.solve(along);
    if (!answer.allFinite() || (mass * answer - along).norm() > 1e-6 * along.norm()) continue;
    const double mobility = along.dot(answer);
    const double most = kMaxLeverage * kMaxLeverage * largest * size[stop.speed] * size[stop.speed];
    result[stop.speed] = mobility * most > 1.0 ? 1.0 / mobility : most;
  }
  return result;
}

}  // namespace

std::vector<BareStop> bare_stops(const Model& model) {
  std::vector<BareStop> stops;
  const ModelSpec& spec = model.spec();
  int speed = 0;  // coordinates follow the order of the joints in the file
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const JointSpec& joint = spec.joints[j];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const CoordinateSpec& coordinate = joint.coordinates[i];
      if (!coordinate.limit || coordinate.limit->stiffness || coordinate.motion) continue;
      stops.push_back({speed + static_cast<int>(i), coordinate.limit->damping.has_value(), 0.0,
                       item_path("joints", j) + ".coordinates[" + std::to_string(i) + "].limit"});
    }
    speed += joint_kind(joint.type).nv;
  }
  if (stops.empty()) return stops;
  const VectorX locked = locked_inertias(model);
  VectorX reflected = VectorX::Zero(model.nv());
  if (model.has_loops() && model.nv() <= kMaxSpeeds) reflected = reflected_inertias(model, locked, stops);
  for (BareStop& stop : stops) stop.inertia = std::max(locked[stop.speed], reflected[stop.speed]);
  return stops;
}

}  // namespace kinloop

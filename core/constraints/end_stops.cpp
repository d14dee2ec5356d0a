// Reflected inertias: 1 / (z_i^T (Z^T M Z)^-1 z_i), z_i being row i of the allowed motions Z, at the start and, by
// continuation from there, at the limits: leverage grows towards a dead centre, in front of which stops stand.
#include "core/constraints/end_stops.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/base/field_path.hpp"
#include "core/constraints/allowed_motions.hpp"
#include "core/constraints/closing_equations.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/least_squares.hpp"
#include "core/model/locked_inertia.hpp"

namespace kinloop {
namespace {

/// Bodies whose loops let them move this much faster than the joint count as this much faster: at a dead centre the
/// ratio is infinite.
constexpr double kMaxLeverage = 30.0;

/// Of more speeds the motions are not sought: it would take longer than the rest of the start.
constexpr int kMaxSpeeds = 400;

/// Steps of the way to a limit, and corrections of one step: rad, or lengths of the mechanism. One that needs longer
/// corrections is halved, so that the loops do not close in another way.
constexpr double kFirstStretch = 0.1;
constexpr double kLongestStretch = 0.5;
constexpr double kShortestStretch = 1e-4;
constexpr double kOnTheWay = 1e-9;  // closed well enough
constexpr int kMaxSteps = 400;
constexpr int kMaxCorrections = 12;

/// Corrections of all ways together, by what one takes with a dense matrix: some seconds.
constexpr double kMaxLeadingWork = 5e9;

/// Leads a mechanism along one of its coordinates, loops closed.
class WayToLimit {
 public:
  explicit WayToLimit(const Model& model)
      : model_(model), corrections_left_(kMaxLeadingWork / std::pow(static_cast<double>(model.nv()), 3)) {}

  /// From q to where the coordinate of `speed` is `target`, q being the last closed place; false where it gets stuck.
  bool lead(int speed, double target, VectorX& q) {
    std::vector<char> held(at(model_.nv()), 0);
    held[at(speed)] = 1;
    ClosingEquations equations(model_, held);
    if (!close(equations, q)) return false;
    const int i = model_.coordinate(speed).q;
    double step = kFirstStretch;
    for (int k = 0; k < kMaxSteps && step >= kShortestStretch; ++k) {
      const double left = target - q[i];
      if (left == 0.0) return true;
      equations.update_at_rest(q);
      const double most = step / speed_size(equations.workspace(), speed, model_.length_m());
      VectorX next = q;
      next[i] = std::abs(left) <= most ? target : q[i] + std::copysign(most, left);
      if (close(equations, next)) {
        q = next;
        step = std::min(2.0 * step, kLongestStretch);
      } else {
        step *= 0.5;
      }
    }
    return q[i] == target;
  }

 private:
  /// By Newton's method.
  bool close(ClosingEquations& equations, VectorX& q) {
    for (int k = 0; k < kMaxCorrections && corrections_left_ >= 1.0; ++k) {
      equations.update_at_rest(q);
      const VectorX& errors = equations.position_errors();
      if (!errors.allFinite()) return false;
      if (errors.norm() <= kOnTheWay) return true;
      --corrections_left_;
      const VectorX step = shortest_solution(equations.scaled_columns(), errors, kRankTolerance);
      if (!(step.norm() <= kLongestStretch)) return false;
      advance_configuration(model_, q.data(), equations.unscaled(step).data(), q.data());
    }
    return false;
  }

  const Model& model_;
  double corrections_left_;
};

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

/// Of the speeds given, at q; 0 where it is not known.
VectorX reflected_inertias(const Model& model, const VectorX& q, const VectorX& locked, const std::vector<int>& speeds,
                           Workspace& ws) {
  VectorX result = VectorX::Zero(model.nv());
  const VectorX at_rest = VectorX::Zero(model.nv());
  update_kinematics(model, q.data(), at_rest.data(), 0.0, ws);
  update_loop_constraints(model, q.data(), at_rest.data(), 0.0, ws);
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
  for (const int speed : speeds) {
    const VectorX along = Z.row(speed).transpose();
    const VectorX answer = factor.solve(along);
    if (!answer.allFinite() || (mass * answer - along).norm() > 1e-6 * along.norm()) continue;
    const double mobility = along.dot(answer);
    const double most = kMaxLeverage * kMaxLeverage * largest * size[speed] * size[speed];
    result[speed] = mobility * most > 1.0 ? 1.0 / mobility : most;
  }
  return result;
}

/// Where the loops let a coordinate go no further, it moves much less than others in every allowed motion.
bool is_dead_centre(const Model& model, const VectorX& q, int speed, Workspace& ws) {
  const VectorX at_rest = VectorX::Zero(model.nv());
  update_kinematics(model, q.data(), at_rest.data(), 0.0, ws);
  update_loop_constraints(model, q.data(), at_rest.data(), 0.0, ws);
  const MatrixX Z = allowed_motions(model, ws);
  VectorX moved(model.nv());
  for (int i = 0; i < model.nv(); ++i) moved[i] = Z.row(i).norm() * speed_size(ws, i, model.length_m());
  return kMaxLeverage * moved[speed] <= moved.maxCoeff();
}

/// Raises the inertias to those that loops carry to the stops.
void add_reflected(const Model& model, const VectorX& locked, std::vector<BareStop>& stops) {
  std::vector<int> speeds;
  speeds.reserve(stops.size());
  for (const BareStop& stop : stops) speeds.push_back(stop.speed);
  Workspace ws(model);
  const VectorX at_start = reflected_inertias(model, model.initial_q(), locked, speeds, ws);
  WayToLimit way(model);
  for (BareStop& stop : stops) {
    stop.inertia = std::max(stop.inertia, at_start[stop.speed]);
    const CoordinateConstants& c = model.coordinate(stop.speed);
    for (const double limit : {c.lower, c.upper}) {
      VectorX q = model.initial_q();
      if (!way.lead(stop.speed, limit, q)) {
        const bool held = is_dead_centre(model, q, stop.speed, ws);
        (held ? stop.beyond_reach : stop.not_found).push_back({limit, q[c.q]});
        continue;
      }
      stop.inertia = std::max(stop.inertia, reflected_inertias(model, q, locked, {stop.speed}, ws)[stop.speed]);
    }
  }
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
      stops.push_back({speed + static_cast<int>(i),
                       coordinate.limit->damping.has_value(),
                       0.0,
                       {},
                       {},
                       item_path("joints", j) + ".coordinates[" + std::to_string(i) + "].limit"});
    }
    speed += joint_kind(joint.type).nv;
  }
  if (stops.empty()) return stops;
  const VectorX locked = locked_inertias(model);
  for (BareStop& stop : stops) stop.inertia = locked[stop.speed];
  if (model.has_loops() && model.nv() <= kMaxSpeeds) add_reflected(model, locked, stops);
  return stops;
}

}  // namespace kinloop

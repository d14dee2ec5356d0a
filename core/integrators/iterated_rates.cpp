// Lanczos' iteration for the pencil of stiffness or damping K and inertia M, over the motions that the loops allow.
//
// Each motion w is kept beside the force p that makes it, w = M^-1 p by the formulation: then w_i^T M w_j = w_i^T p_j,
// loops included, since an allowed motion does no work against them, and no mass matrix is needed. All vectors are kept
// and held square to each other.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/tangent_operator.hpp"
#include "core/integrators/motion_rates.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/counter_noise.hpp"
#include "core/model/locked_inertia.hpp"

namespace kinloop {
namespace {

constexpr int kMaxIterations = 80;
constexpr double kCloseEnough = 0.01;

/// Accelerations by forces alone: at rest, without loads.
class Mobility {
 public:
  Mobility(const Model& model, const State& state, std::unique_ptr<Dynamics> dynamics)
      : model_(model), dynamics_(std::move(dynamics)), ws_(model) {
    const VectorX at_rest = VectorX::Zero(model.nv());
    update_kinematics(model, state.q().data(), at_rest.data(), state.time_s(), ws_);
    if (model.has_loops()) update_loop_constraints(model, state.q().data(), at_rest.data(), state.time_s(), ws_);
    for (BodyLoad& load : ws_.load) load.n = load.f = Vec3();
    offset_ = VectorX::Zero(model.nv());
    is_regular_ = times(at_rest, offset_);
  }

  bool is_regular() const { return is_regular_; }
  const Workspace& workspace() const { return ws_; }

  /// M^-1 force; false where the formulation finds none. Driven speeds stay.
  bool times(const VectorX& force, VectorX& motion) {
    ws_.tau = force;
    if (dynamics_->solve(model_, ws_) != StepStatus::kOk) return false;
    motion = ws_.vdot - offset_;  // what prescribed motions and their loops ask for is not of the force
    return true;
  }

 private:
  const Model& model_;
  std::unique_ptr<Dynamics> dynamics_;
  Workspace ws_;
  VectorX offset_;
  bool is_regular_ = true;
};

struct Ritz {
  double value = 0.0, open = 0.0;  // of the largest, and how far an eigenvalue may lie from it
  VectorX weights;
};

Ritz largest_of(const VectorX& diagonal, const VectorX& beside, double next) {
  Eigen::SelfAdjointEigenSolver<MatrixX> solver;
  solver.computeFromTridiagonal(diagonal, beside);
  const Eigen::Index last = diagonal.size() - 1;
  const VectorX weights = solver.eigenvectors().col(last);
  return {solver.eigenvalues()[last], next * std::abs(weights[last]), weights};
}

/// Of K against M; false where the formulation fails.
bool largest_rate(const Model& model, const TangentOperator& tangent, TangentOperator::Part part, Mobility& mobility,
                  LargestRate& rate) {
  std::vector<VectorX> w, p;
  VectorX force(model.nv());
  for (int i = 0; i < model.nv(); ++i) force[i] = normal_noise({}, static_cast<std::uint64_t>(i));
  force = tangent.times(part, model, mobility.workspace(), force);
  VectorX motion;
  if (!mobility.times(force, motion)) return false;
  double size = std::sqrt(std::max(0.0, motion.dot(force)));
  VectorX diagonal, beside;
  Ritz ritz;
  while (size > 0.0 && std::isfinite(size) && static_cast<int>(w.size()) < kMaxIterations) {
    w.push_back(motion / size);
    p.push_back(force / size);
    force = tangent.times(part, model, mobility.workspace(), w.back());
    if (!mobility.times(force, motion)) return false;
    diagonal.conservativeResize(diagonal.size() + 1);
    diagonal[diagonal.size() - 1] = w.back().dot(force);
    for (std::size_t i = w.size(); i-- > 0;) {
      const double share = w[i].dot(force);
      force -= share * p[i];
      motion -= share * w[i];
    }
    size = std::sqrt(std::max(0.0, motion.dot(force)));
    ritz = largest_of(diagonal, beside, size);
    if (ritz.open <= kCloseEnough * ritz.value) break;
    beside.conservativeResize(beside.size() + 1);
    beside[beside.size() - 1] = size;
  }
  if (w.empty()) return true;
  rate.value = ritz.value + ritz.open;
  VectorX mode = VectorX::Zero(model.nv());
  for (std::size_t i = 0; i < w.size(); ++i) mode += ritz.weights[static_cast<Eigen::Index>(i)] * w[i];
  mode.cwiseAbs2().cwiseProduct(locked_inertias(model)).maxCoeff(&rate.speed);
  return true;
}

}  // namespace

MotionRates iterated_rates(const Model& model, const State& state) {
  using Part = TangentOperator::Part;
  MotionRates rates;
  rates.regular = false;
  auto dynamics = make_dynamics("auto", model);
  if (!dynamics) return rates;
  Workspace ws(model);
  update_kinematics(model, state, ws);
  TangentOperator tangent(model), touches(model), elements(model);
  ElementsOnly between_bodies(elements);
  for (const ForceElementKind* kind : force_element_kinds()) {
    kind->add_tangents(model, state.q().data(), state.v().data(), ws, tangent);
    if (kind->one_sided.add_full_tangents == nullptr) {
      kind->add_tangents(model, state.q().data(), state.v().data(), ws, between_bodies);
    } else {
      kind->one_sided.add_full_tangents(model, state.q().data(), state.v().data(), ws, touches);
      kind->one_sided.add_full_tangents(model, state.q().data(), state.v().data(), ws, between_bodies);
    }
  }
  Mobility mobility(model, state, std::move(dynamics).value());
  if (!mobility.is_regular()) return rates;
  const bool found = largest_rate(model, tangent, Part::kStiffness, mobility, rates.springs) &&
                     largest_rate(model, tangent, Part::kDamping, mobility, rates.dampers) &&
                     largest_rate(model, touches, Part::kStiffness, mobility, rates.touch_springs) &&
                     largest_rate(model, touches, Part::kDamping, mobility, rates.touch_dampers) &&
                     largest_rate(model, elements, Part::kStiffness, mobility, rates.elements);
  VectorX unit = VectorX::Zero(model.nv());
  VectorX motion(model.nv());
  rates.mobility = VectorX::Zero(model.nv());
  for (int i = 0; found && i < model.nv(); ++i) {
    unit[i] = 1.0;
    if (!mobility.times(unit, motion)) return rates;
    unit[i] = 0.0;
    rates.mobility[i] = motion[i];
  }
  rates.regular = found;
  return rates;
}

}  // namespace kinloop

// Inverse dynamics of the neighbours of a model.
#include "core/derivatives/parameter_forces.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/at.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

bool same_frame(const Mat3& R_a, const Vec3& p_a, const Mat3& R_b, const Vec3& p_b) noexcept {
  return R_a.eigen() == R_b.eigen() && p_a.eigen() == p_b.eigen();
}

bool same_function(const std::optional<FunctionSpec>& a, const std::optional<FunctionSpec>& b) noexcept {
  if (a.has_value() != b.has_value()) return false;
  return !a ||
         (a->polynomial == b->polynomial && a->frequency_rad == b->frequency_rad && a->harmonics == b->harmonics &&
          a->table_x == b->table_x && a->table_y == b->table_y && a->table_period == b->table_period);
}

/// Of the joints as files state them: pitch, profile and prescribed motions.
bool same_laws(const std::vector<JointSpec>& a, const std::vector<JointSpec>& b) noexcept {
  const auto alike = [](const JointSpec& x, const JointSpec& y) {
    if (x.type != y.type || x.pitch != y.pitch || !same_function(x.profile, y.profile)) return false;
    return std::equal(
        x.coordinates.begin(), x.coordinates.end(), y.coordinates.begin(), y.coordinates.end(),
        [](const CoordinateSpec& i, const CoordinateSpec& j) { return same_function(i.motion, j.motion); });
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), alike);
}

}  // namespace

bool moves_alike(const Model& a, const Model& b) noexcept {
  if (a.body_count() != b.body_count() || a.nq() != b.nq() || a.nv() != b.nv()) return false;
  if (!same_laws(a.spec().joints, b.spec().joints) || !same_laws(a.spec().loops, b.spec().loops)) return false;
  for (int k = 1; k < a.body_count(); ++k) {
    const BodyConstants& x = a.body(k);
    const BodyConstants& y = b.body(k);
    if (x.parent != y.parent || x.v != y.v || !same_frame(x.R_PA, x.p_PA, y.R_PA, y.p_PA)) return false;
    const Pose& f = a.body_frame(k);  // where outside forces act, and sensors sit
    const Pose& g = b.body_frame(k);
    if (f.R != g.R || f.p != g.p) return false;
  }
  const auto loops_alike = [](const LoopJoint& x, const LoopJoint& y) {
    return x.predecessor == y.predecessor && x.successor == y.successor && same_frame(x.R_PA, x.p_PA, y.R_PA, y.p_PA) &&
           same_frame(x.R_SB, x.p_SB, y.R_SB, y.p_SB);
  };
  const auto couplings_alike = [](const Coupling& x, const Coupling& y) {
    return x.q_dependent == y.q_dependent && x.q_of == y.q_of && x.ratio == y.ratio && x.offset == y.offset;
  };
  return std::equal(a.loops().begin(), a.loops().end(), b.loops().begin(), b.loops().end(), loops_alike) &&
         std::equal(a.couplings().begin(), a.couplings().end(), b.couplings().begin(), b.couplings().end(),
                    couplings_alike);
}

ParameterForces::ParameterForces(const std::vector<std::unique_ptr<ParameterModels>>& parameters) {
  for (const auto& parameter : parameters) {
    Parameter& added = variants_.emplace_back();
    added.step = parameter->step;
    for (const Model* model : {&parameter->up, &parameter->down, &parameter->half_up, &parameter->half_down}) {
      added.sides.push_back({model, Workspace(*model), TangentForce(*model)});
    }
    wrench_.resize(at(parameter->up.body_count()));
    composite_.resize(wrench_.size());
    M_ = MatrixX::Zero(parameter->up.nv(), parameter->up.nv());
    none_ = VectorX::Zero(parameter->up.nv());
  }
  for (VectorX& side : side_) side = none_;
}

/// Richardson's extrapolation of the differences at both distances.
template <class Force>
void ParameterForces::subtract_slopes(MatrixX& force, Force&& of) noexcept {
  const Eigen::Index first = force.cols() - count();
  for (std::size_t p = 0; p < variants_.size(); ++p) {
    Parameter& parameter = variants_[p];
    for (std::size_t i = 0; i < 4; ++i) of(parameter.sides[i], side_[i]);
    const double scale = 1.0 / (6.0 * parameter.step);
    force.col(first + static_cast<Eigen::Index>(p)) -= scale * (8.0 * (side_[2] - side_[3]) - (side_[0] - side_[1]));
  }
}

void ParameterForces::find_forces(Variant& of, const Motion& motion, const Loads& loads, VectorX& result) noexcept {
  const Model& model = *of.model;
  update_kinematics(model, motion.q, motion.v, motion.time_s, of.ws);
  add_forces(model, motion.q, motion.v, loads, of.ws);
  of.ws.vdot = motion.vdot;
  update_body_accelerations(model, of.ws);
  joint_reactions(model, of.ws, {}, wrench_);
  generalized_forces(model, of.ws, wrench_, result);
  result -= of.ws.tau;
}

void ParameterForces::subtract(const Motion& motion, const Loads& loads, MatrixX& force) noexcept {
  subtract_slopes(force, [&](Variant& of, VectorX& result) { find_forces(of, motion, loads, result); });
}

void ParameterForces::subtract(const Motion& motion, const Loads& loads, const VectorX& x, const VectorX& y,
                               MatrixX& force) noexcept {
  subtract_slopes(force, [&](Variant& of, VectorX& result) {
    find_forces(of, motion, loads, result);
    of.tangents.update(*of.model, motion.q, motion.v, x, y, of.ws);
    result += of.tangents.value();
  });
}

void ParameterForces::subtract_inertia(const double* q, double time_s, const VectorX& s, MatrixX& force) noexcept {
  subtract_slopes(force, [&](Variant& of, VectorX& result) {
    update_kinematics(*of.model, q, none_.data(), time_s, of.ws);
    mass_matrix(*of.model, of.ws, composite_, M_);
    result.noalias() = M_ * s;
  });
}

void ParameterForces::subtract_tangents(const double* q, const double* v, double time_s, const VectorX& x,
                                        const VectorX& y, MatrixX& force) noexcept {
  subtract_slopes(force, [&](Variant& of, VectorX& result) {
    update_kinematics(*of.model, q, v, time_s, of.ws);
    of.tangents.update(*of.model, q, v, x, y, of.ws);
    result = of.tangents.value();
  });
}

}  // namespace kinloop

// Moves all numbers a little and looks at what the accelerations do.
#include "tests/adversary/tolerance.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "tests/support/random.hpp"

namespace kinloop::adversary {
namespace {

constexpr double kLeast = 1e-12;  // of a mechanism in equilibrium

class Perturbation {
 public:
  Perturbation(double share, std::uint64_t seed) : share_(share), random_(seed) {}

  ModelSpec of(ModelSpec spec) {
    for (BodySpec& body : spec.bodies) {
      scale(body.mass);
      for (int i = 0; i < 3; ++i) scale(body.com[i]);
      body.inertia *= 1.0 + share_ * random_.uniform(-1.0, 1.0);
    }
    for (auto* list : {&spec.joints, &spec.loops}) {
      for (JointSpec& joint : *list) {
        frame(joint.frame_pred);
        frame(joint.frame_succ);
      }
    }
    return spec;
  }

  Situation of(Situation now) {
    for (Eigen::Index i = 0; i < now.q.size(); ++i) now.q[i] *= 1 + share();
    for (Eigen::Index i = 0; i < now.v.size(); ++i) now.v[i] *= 1 + share();
    return now;
  }

 private:
  Real share() { return static_cast<Real>(share_ * random_.uniform(-1.0, 1.0)); }
  void scale(double& number) { number += number * share_ * random_.uniform(-1.0, 1.0); }
  void frame(Pose& X) {
    const double size = X.p.norm();
    X.p += share_ * size * random_.vector(1.0);
    const Vector3 turn = share_ * random_.vector(1.0);
    X.R += skew(turn) * X.R;
  }

  double share_;
  Random random_;
};

}  // namespace

VectorXR speed_units(const ModelSpec& spec, const Topology& topology) {
  VectorXR unit = VectorXR::Ones(topology.nv);
  for (int i = 0; i < topology.nv; ++i) {
    const auto j = at(topology.joint_of_speed[at(i)]);
    const JointSpec& joint = spec.joints[j];
    const int c = i - topology.v_at[j];
    if (slides(joint, c)) unit[i] = std::max({joint.frame_pred.p.norm(), joint.frame_succ.p.norm(), 1e-3});
  }
  return unit;
}

VectorXR tolerance_of(const ModelSpec& spec, const Topology& topology, const Situation& now, const Reference& reference,
                      double share) {
  const VectorXR unit = speed_units(spec, topology);
  VectorXR moved = VectorXR::Zero(topology.nv);
  for (std::uint64_t i = 0; i < 3; ++i) {
    Perturbation perturbation(share, 71 + i);
    const ModelSpec other = perturbation.of(spec);
    const Reference there = solve_reference(other, topology, perturbation.of(now), reference.rank);
    moved = moved.cwiseMax((there.vdot - reference.vdot).cwiseAbs());
  }
  const Real most = topology.nv > 0 ? reference.vdot.cwiseQuotient(unit).cwiseAbs().maxCoeff() : Real(0);
  const Real relative = kRelativeTolerance + kStability / reference.kept;
  return kAmplificationMargin * moved + (relative * most + kLeast) * unit;
}

Real energy_tolerance(const ModelSpec& spec, const Topology& topology, const Situation& now) {
  const Real own = energy_of(spec, topology, now).total();
  Situation still = now;
  still.v = kLeast * speed_units(spec, topology);
  Real moved = energy_of(spec, topology, still).kinetic;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Perturbation perturbation(kPerturbation, 71 + i);
    const ModelSpec other = perturbation.of(spec);
    moved = std::max(moved, std::abs(energy_of(other, topology, perturbation.of(now)).total() - own));
  }
  return kAmplificationMargin * moved;
}

}  // namespace kinloop::adversary

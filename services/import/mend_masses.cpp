// Implements the repair: the nearest inertia, in the sum of squares of its entries, that has no negative moment.
#include "services/import/mend_masses.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

namespace kinloop {
namespace {

constexpr double kRounding = 1e-9;

/// Square of the distance from the centre of mass to the farthest joint, by body.
std::map<std::string, double> squared_arms(const ModelSpec& spec) {
  std::map<std::string, const BodySpec*> bodies;
  for (const BodySpec& body : spec.bodies) bodies.emplace(body.name, &body);
  std::map<std::string, double> arms;
  const auto reach = [&](const std::string& name, const Pose& frame) {
    const auto body = bodies.find(name);
    if (body == bodies.end()) return;
    double& arm = arms[name];
    arm = std::max(arm, (frame.p - body->second->com).squaredNorm());
  };
  for (const auto* joints : {&spec.joints, &spec.loops}) {
    for (const JointSpec& joint : *joints) {
      reach(joint.predecessor, joint.frame_pred);
      reach(joint.successor, joint.frame_succ);
    }
  }
  return arms;
}

std::string moments_text(const Vector3& moments) {
  char text[96];
  std::snprintf(text, sizeof text, "%.3g, %.3g, %.3g", moments[0], moments[1], moments[2]);
  return text;
}

}  // namespace

void mend_masses(ModelSpec& spec, const std::function<void(const std::string& body, std::string what)>& report) {
  const std::map<std::string, double> arms = squared_arms(spec);
  for (BodySpec& body : spec.bodies) {
    if (body.inertia.isZero(0.0) || !body.inertia.allFinite()) continue;
    if (body.mass == 0.0) {
      report(body.name, "has inertia but no mass: its inertia is ignored");
      body.inertia.setZero();
      continue;
    }
    const Eigen::SelfAdjointEigenSolver<Matrix3> solver(body.inertia);
    const Vector3& moments = solver.eigenvalues();
    if (moments[0] >= 0.0) continue;
    const Vector3 mended = moments.cwiseMax(0.0);
    const Matrix3& axes = solver.eigenvectors();
    const Matrix3 inertia = axes * mended.asDiagonal() * axes.transpose();
    body.inertia = 0.5 * (inertia + inertia.transpose());
    const auto arm = arms.find(body.name);
    const double scale = std::max(moments.cwiseAbs().maxCoeff(), arm == arms.end() ? 0.0 : body.mass * arm->second);
    if (-moments[0] <= kRounding * scale) continue;
    report(body.name, "no body has this inertia: its principal moments " + moments_text(moments) +
                          " kg m^2 are taken as " + moments_text(mended));
  }
}

}  // namespace kinloop

// One sweep outward; joints of several speeds by what their columns do to each other.
#include "core/derivatives/motion_slopes.hpp"

#include "core/joints/joint.hpp"

namespace kinloop {

MotionSlopes::MotionSlopes(const Model& model)
    : place(model.body_count()),
      v(model.body_count()),
      a(model.body_count()),
      J(model.nv()),
      psi(J),
      c(J),
      b(J),
      bend(J),
      carried(model.nv(), 0) {
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const std::array<unsigned char, 6> own = joint_kind(body.joint).carried;
    for (int i = 0; i < body.nv; ++i) carried[body.v + i] = own[i];
  }
}

void MotionSlopes::update(const Model& model, const double* q, const double* speeds, const double* vdot,
                          const Vec3& gravity, const Workspace& ws) noexcept {
  if (model.body_count() > 1) place[0] = ws.motion[0].x - ws.motion[1].x;
  v[0] = {};
  a[0] = {Vec3(), -gravity};
  for (int k = 1; k < model.body_count(); ++k) {
    const int parent = model.body(k).parent;
    const BodyMotion& m = ws.motion[k];
    place[k] = parent > 0 ? place[parent] + m.r : m.x - ws.motion[1].x;
    update_body(model, k, q, speeds, vdot, ws);
  }
}

void MotionSlopes::update_body(const Model& model, int k, const double* q, const double* speeds, const double* vdot,
                               const Workspace& ws) noexcept {
  const BodyConstants& body = model.body(k);
  const SpatialVector& v_p = v[body.parent];
  const SpatialVector& a_p = a[body.parent];
  const Vec3& p = place[k];
  for (int i = body.v; i < body.v + body.nv; ++i) {
    J[i] = {ws.Hw[i], ws.Hv[i] + cross(p, ws.Hw[i])};
  }
  if (body.nv == 1) {  // nothing but the axis itself, which no motion along it turns
    const int j = body.v;
    const SpatialVector& J_j = J[j];
    psi[j] = cross_motion(v_p, J_j);
    v[k] = v_p + speeds[j] * J_j;
    a[k] = a_p + vdot[j] * J_j + speeds[j] * psi[j];
    c[j] = cross_motion(a_p, J_j) - cross_motion(psi[j], v_p);
    b[j] = 2.0 * psi[j];
    return;
  }
  SpatialVector bend_1;
  SpatialVector bend_2;
  const JointKind& kind = joint_kind(body.joint);
  const bool has_bend = kind.bend != nullptr;
  if (has_bend) {
    const ColumnBend own = kind.bend(model.joint_parameters(k), q + body.q);
    const Mat3 R_A = ws.motion[body.parent].R * body.R_PA;
    bend_1.linear = R_A * own.first;
    bend_2.linear = R_A * own.second;
    bend[body.v] = bend_1;
  }
  const int n = body.nv;
  const int first = body.v;
  const auto carries_own = [&](int j, int i) { return (carried[first + i] >> j & 1) != 0; };
  std::array<SpatialVector, 6> carrier;  // v*_i: the velocity of what carries column i
  std::array<SpatialVector, 6> rate;     // dJ_i/dt
  v[k] = v_p;
  for (int i = 0; i < n; ++i) {
    v[k] = v[k] + speeds[first + i] * J[first + i];
    carrier[i] = v_p;
    for (int j = 0; j < n; ++j) {
      if (carries_own(j, i)) carrier[i] = carrier[i] + speeds[first + j] * J[first + j];
    }
    rate[i] = cross_motion(carrier[i], J[first + i]);
  }
  if (has_bend) rate[0] = rate[0] + speeds[first] * bend_1;
  a[k] = a_p;
  for (int i = 0; i < n; ++i) {
    a[k] = a[k] + vdot[first + i] * J[first + i] + speeds[first + i] * rate[i];
  }
  for (int j = 0; j < n; ++j) {
    const SpatialVector& J_j = J[first + j];
    // Against all that is carried along: the parent stays, and so do the columns that j does not carry.
    std::array<SpatialVector, 6> left;
    SpatialVector before = v_p;
    SpatialVector sum = cross_motion(a_p, J_j);
    for (int i = 0; i < n; ++i) {
      left[i] = carries_own(j, i) ? SpatialVector{} : cross_motion(J[first + i], J_j);
      if (has_bend && i == 0 && j == 0) left[0] = left[0] + bend_1;
      if (!carries_own(j, i)) before = before + speeds[first + i] * J[first + i];
      sum = sum + vdot[first + i] * left[i];
    }
    psi[first + j] = cross_motion(v_p, J_j);
    for (int i = 0; i < n; ++i) psi[first + j] = psi[first + j] + speeds[first + i] * left[i];
    for (int i = 0; i < n; ++i) {
      SpatialVector carrier_left = cross_motion(v_p, J_j);
      for (int l = 0; l < n; ++l) {
        if (carries_own(l, i)) carrier_left = carrier_left + speeds[first + l] * left[l];
      }
      sum = sum + speeds[first + i] * (cross_motion(carrier_left, J[first + i]) + cross_motion(carrier[i], left[i]));
    }
    if (has_bend) {  // of the bend's own part of the rate
      SpatialVector bend_left = -cross_motion(J_j, bend_1);
      if (j == 0) bend_left = bend_left + bend_2;
      sum = sum + (speeds[first] * speeds[first]) * bend_left;
    }
    c[first + j] = sum - cross_motion(psi[first + j], v[k]);
    b[first + j] = cross_motion(carrier[j], J_j) + cross_motion(before, J_j);
    if (has_bend && j == 0) b[first] = b[first] + (2.0 * speeds[first]) * bend_1;
  }
}

}  // namespace kinloop

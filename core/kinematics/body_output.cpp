// Moves the motion of x_k to the points of the file's body frame.
#include "core/kinematics/body_output.hpp"

#include "core/base/at.hpp"

namespace kinloop {

BodyOutput body_output(const Model& model, const Workspace& ws, int body) noexcept {
  const auto k = at(body);
  const BodyMotion& m = ws.motion[k];
  const BodyConstants& constants = model.body(body);
  const Pose& frame = model.body_frame(body);

  const Vec3 origin = m.R * Vec3(frame.p);
  const Vec3 com = constants.mass > 0.0 ? m.R * ((1.0 / constants.mass) * constants.first_moment) : origin;
  const Vec3 al = ws.A[k].angular + m.al;
  const Vec3 a = ws.A[k].linear + m.a + Vec3(model.gravity());  // A_t holds minus gravity
  const auto acceleration_at = [&](const Vec3& arm) { return a + cross(al, arm) + cross(m.w, cross(m.w, arm)); };

  BodyOutput out;
  out.R.noalias() = m.R.eigen() * frame.R;
  out.p = (m.x + origin).eigen();
  out.omega = m.w.eigen();
  out.v_origin = (m.v + cross(m.w, origin)).eigen();
  out.alpha = al.eigen();
  out.a_origin = acceleration_at(origin).eigen();
  out.a_com = acceleration_at(com).eigen();
  return out;
}

}  // namespace kinloop

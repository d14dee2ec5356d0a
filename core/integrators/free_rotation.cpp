// Newton's iteration on three numbers a joint.
#include "core/integrators/free_rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

constexpr int kMaxParts = 64;  // of a drift: 32 rad

/// Solves A x = b; false where A has no usable inverse.
bool solve3(const Mat3& A, const Vec3& b, Vec3& x) noexcept {
  const Vec3 bc = cross(A.c[1], A.c[2]);
  const double determinant = dot(A.c[0], bc);
  const double size = std::sqrt(dot(A.c[0], A.c[0]) * dot(A.c[1], A.c[1]) * dot(A.c[2], A.c[2]));
  if (!(std::abs(determinant) > 1e-9 * size)) return false;
  const double inverse = 1.0 / determinant;
  x = {inverse * dot(b, bc), inverse * dot(A.c[0], cross(b, A.c[2])), inverse * dot(A.c[0], cross(A.c[1], b))};
  return true;
}

/// a rotated by Cayley's map of 2 b.
Vec3 cayley_turned(const Vec3& b, const Vec3& a) noexcept {
  const Vec3 ba = cross(b, a);
  return a + (2.0 / (1.0 + dot(b, b))) * (ba + cross(b, ba));
}

/// The end of a drift that starts with W; false where the iteration finds none.
bool drift_without_torque(const Mat3& I, const Vec3& W, double dt_s, Vec3& W1) noexcept {
  constexpr int kIterations = 12;
  constexpr double kConverged = 1e-15;
  W1 = W;
  for (int i = 0; i < kIterations; ++i) {
    const Vec3 middle = 0.5 * (W + W1);
    const Vec3 momentum = I * middle;
    const Vec3 missing = I * (W1 - W) + dt_s * cross(middle, momentum);
    // d(missing) / dW1 = I + h / 2 ([middle]x I - [momentum]x)
    Mat3 slope = skew(middle) * I - skew(momentum);
    for (std::size_t c = 0; c < 3; ++c) slope.c[c] = I.c[c] + (0.5 * dt_s) * slope.c[c];
    Vec3 change;
    if (!solve3(slope, missing, change)) return false;
    W1 = W1 - change;
    if (dot(change, change) <= kConverged * kConverged * dot(W1, W1)) return true;
  }
  return false;
}

/// Where a drift leads: the spin at its end, and the rotation on the way, in the axes of the body at its start.
struct Drift {
  Vec3 W;
  Vec3 increment;                 // rotation vector
  std::array<Vec3, kMaxParts> b;  // of Cayley's maps, one for each part
  int parts = 0;
};

Vec3 rotated(const Drift& drift, Vec3 a) noexcept {
  for (int i = drift.parts; i-- > 0;) a = cayley_turned(drift.b[at(i)], a);
  return a;
}

/// (s, v) of a quaternion times that of Cayley's map, (1, b).
void append(const Vec3& b, double& s, Vec3& v) noexcept {
  const double scalar = s - dot(v, b);
  v = s * b + v + cross(v, b);
  s = scalar;
}

/// Newton's iteration finds the end of a drift of less than about a radian: longer ones are made in parts, each of
/// which keeps energy and momentum.
bool drift_in_parts(const Mat3& I, const Vec3& W, double dt_s, int parts, Drift& drift) noexcept {
  drift.parts = parts;
  const double part_s = dt_s / drift.parts;
  drift.W = W;
  double s = 1.0;
  Vec3 v;
  for (int i = 0; i < drift.parts; ++i) {
    const Vec3 before = drift.W;
    if (!drift_without_torque(I, before, part_s, drift.W)) return false;
    drift.b[at(i)] = (0.25 * part_s) * (before + drift.W);
    if (drift.parts > 1) append(drift.b[at(i)], s, v);
  }
  if (drift.parts == 1) v = drift.b[0];
  const double sine = std::sqrt(dot(v, v));
  const double angle = drift.parts == 1 ? std::atan(sine) : std::atan2(sine, s);
  drift.increment = (sine > 1e-8 ? 2.0 * angle / sine : 2.0) * v;
  return true;
}

/// In as many parts as its angle asks for, or in more, where they are not found. False where those allowed do not
/// suffice.
bool find_drift(const Mat3& I, const Vec3& W, double dt_s, Drift& drift) noexcept {
  constexpr double kMaxTurn_rad = 0.5;
  const double turn_rad = dt_s * std::sqrt(dot(W, W));
  if (!(turn_rad <= kMaxTurn_rad * kMaxParts)) return false;
  for (int parts = std::max(1, static_cast<int>(std::ceil(turn_rad / kMaxTurn_rad))); parts <= kMaxParts; parts *= 2) {
    if (drift_in_parts(I, W, dt_s, parts, drift)) return true;
  }
  return false;
}

bool hangs_on(const Model& model, int body, int on) {
  while (body > on) body = model.body(body).parent;  // parents come first
  return body == on;
}

bool is_in_loops(const Model& model, int body) {
  for (const LoopJoint& loop : model.loops()) {
    if (hangs_on(model, loop.predecessor, body) || hangs_on(model, loop.successor, body)) return true;
  }
  return false;
}

}  // namespace

FreeRotation::FreeRotation(const Model& model) : locked_(at(model.body_count())) {
  for (const int k : model.quaternion_bodies()) {
    const BodyConstants& body = model.body(k);
    if (body.parent != 0 || is_in_loops(model, k)) continue;
    Joint& joint = joints_.emplace_back();
    joint.body = k;
    joint.linear = body.nv == 6 ? body.v : -1;
    joint.angular = body.v + body.nv - 3;
    joint.R_AW = transposed(body.R_PA);
    for (int b = model.body_count() - 1; b > k; --b) {
      if (hangs_on(model, b, k)) joint.beyond.push_back(b);
    }
  }
}

bool FreeRotation::is_for(int body) const noexcept {
  return std::any_of(joints_.begin(), joints_.end(), [&](const Joint& joint) {
    return joint.body == body || std::find(joint.beyond.begin(), joint.beyond.end(), body) != joint.beyond.end();
  });
}

const SpatialInertia& FreeRotation::locked_inertia(const Model& model, const Workspace& ws,
                                                   const Joint& joint) noexcept {
  const auto own = [&](int b) { return rigid_inertia(model.body(b).mass, ws.load[at(b)]); };
  locked_[at(joint.body)] = own(joint.body);
  for (const int b : joint.beyond) locked_[at(b)] = own(b);
  for (const int b : joint.beyond) {
    add(locked_[at(model.body(b).parent)], shifted(locked_[at(b)], ws.motion[at(b)].r));
  }
  return locked_[at(joint.body)];
}

bool FreeRotation::drift(const Model& model, const Workspace& ws, const double* v0, double dt_s, double* v1,
                         double* increment) noexcept {
  for (const Joint& joint : joints_) {
    const SpatialInertia& locked = locked_inertia(model, ws, joint);
    const double mass = locked.M(0, 0);
    if (!(mass > 0.0)) continue;
    const Vec3 d_W = (1.0 / mass) * Vec3(locked.L(1, 2), locked.L(2, 0), locked.L(0, 1));  // L = -[m d]x
    const bool floats = joint.linear >= 0;
    const Mat3 J = floats ? shifted(locked, -d_W).J : locked.J;  // about the centre of mass, or the pivot
    const Mat3& R_WB = ws.motion[at(joint.body)].R;
    const Mat3 I = transposed(R_WB) * (J * R_WB);

    const Vec3 W0 = load3(v0 + joint.angular);
    const Vec3 alpha = load3(ws.vdot.data() + joint.angular);
    Vec3 gyroscopic;
    if (!solve3(I, cross(W0, I * W0), gyroscopic)) continue;
    const Vec3 kicked = W0 + dt_s * (alpha + gyroscopic);
    Drift drift;
    if (!find_drift(I, kicked, dt_s, drift)) return false;
    const Vec3 W1 = drift.W;
    store3(drift.increment, increment + joint.angular);
    store3(W1, v1 + joint.angular);
    if (!floats) continue;

    const Mat3 R_AB = joint.R_AW * R_WB;
    const Vec3 d = transposed(R_WB) * d_W;
    const Vec3 d_A = R_AB * d;
    const Vec3 w_A = R_AB * W0;
    const Vec3 d1_A = R_AB * rotated(drift, d);
    const Vec3 w1_A = R_AB * rotated(drift, W1);
    const Vec3 of_com =
        load3(v0 + joint.linear) + cross(w_A, d_A) +
        dt_s * (load3(ws.vdot.data() + joint.linear) + cross(R_AB * alpha, d_A) + cross(w_A, cross(w_A, d_A)));
    store3(of_com - cross(w1_A, d1_A), v1 + joint.linear);
    store3(dt_s * of_com + d_A - d1_A, increment + joint.linear);
  }
  return true;
}

}  // namespace kinloop

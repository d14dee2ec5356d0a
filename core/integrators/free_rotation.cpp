// Newton's iteration on three numbers a joint.
#include "core/integrators/free_rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/point_pair.hpp"

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

/// d(rotation vector) by a rotation behind it, in the axes of the body at its end.
Vec3 vector_change(const Vec3& theta, const Vec3& turn) noexcept {
  const double angle2 = dot(theta, theta);
  const double angle = std::sqrt(angle2);
  const double c = angle2 < 1e-2 ? 1.0 / 12.0 + angle2 * (1.0 / 720.0 + angle2 * (1.0 / 30240.0 + angle2 / 1209600.0))
                                 : (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / angle2;
  const Vec3 crossed = cross(theta, turn);
  return turn + 0.5 * crossed + c * cross(theta, crossed);
}

/// -[a]x [b]x - [b]x [a]x.
Mat3 skew_products(const Vec3& a, const Vec3& b) noexcept {
  return diagonal3(2.0 * dot(a, b)) - outer(a, b) - outer(b, a);
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

FreeRotation::FreeRotation(const Model& model)
    : locked_(at(model.body_count())), moved_(locked_.size()), place_(locked_.size()) {
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

/// What a step of a joint begins with.
struct FreeRotation::Kick {
  Mat3 R_WB, I;  // of the body; inertia about the centre of mass or the pivot, axes of the body
  Vec3 d;        // to the centre of mass, axes of the body
  double mass;
  Vec3 W0, alpha, gyroscopic, W;  // spin at the start, its acceleration; spin behind the kick
};

bool FreeRotation::kick(const Model& model, const Workspace& ws, const Joint& joint, const double* v0, double dt_s,
                        Kick& kick) noexcept {
  const SpatialInertia& locked = locked_inertia(model, ws, joint);
  kick.mass = locked.M(0, 0);
  if (!(kick.mass > 0.0)) return false;
  const Vec3 d_W = (1.0 / kick.mass) * Vec3(locked.L(1, 2), locked.L(2, 0), locked.L(0, 1));  // L = -[m d]x
  const Mat3 J = joint.linear >= 0 ? shifted(locked, -d_W).J : locked.J;
  kick.R_WB = ws.motion[at(joint.body)].R;
  kick.I = transposed(kick.R_WB) * (J * kick.R_WB);
  kick.d = transposed(kick.R_WB) * d_W;
  kick.W0 = load3(v0 + joint.angular);
  kick.alpha = load3(ws.vdot.data() + joint.angular);
  if (!solve3(kick.I, cross(kick.W0, kick.I * kick.W0), kick.gyroscopic)) return false;
  kick.W = kick.W0 + dt_s * (kick.alpha + kick.gyroscopic);
  return true;
}

bool FreeRotation::drift(const Model& model, const Workspace& ws, const double* v0, double dt_s, double* v1,
                         double* increment) noexcept {
  for (const Joint& joint : joints_) {
    Kick start;
    if (!kick(model, ws, joint, v0, dt_s, start)) continue;
    Drift drift;
    if (!find_drift(start.I, start.W, dt_s, drift)) return false;
    const Vec3 W1 = drift.W;
    store3(drift.increment, increment + joint.angular);
    store3(W1, v1 + joint.angular);
    if (joint.linear < 0) continue;

    const Mat3 R_AB = joint.R_AW * start.R_WB;
    const Vec3 d_A = R_AB * start.d;
    const Vec3 w_A = R_AB * start.W0;
    const Vec3 d1_A = R_AB * rotated(drift, start.d);
    const Vec3 w1_A = R_AB * rotated(drift, W1);
    const Vec3 of_com =
        load3(v0 + joint.linear) + cross(w_A, d_A) +
        dt_s * (load3(ws.vdot.data() + joint.linear) + cross(R_AB * start.alpha, d_A) + cross(w_A, cross(w_A, d_A)));
    store3(of_com - cross(w1_A, d1_A), v1 + joint.linear);
    store3(dt_s * of_com + d_A - d1_A, increment + joint.linear);
  }
  return true;
}

/// Of the inertia about the centre of mass or the pivot, and of the way to the centre of mass, as the body sees them:
/// all beyond it moves relative to it as it would with the speeds dq.
void FreeRotation::inertia_change(const Model& model, const Workspace& ws, const Joint& joint, const Kick& start,
                                  const double* dq, Mat3& dI, Vec3& dd) noexcept {
  Mat3 dJ;
  Vec3 dmc;
  moved_[at(joint.body)] = SpatialVector{};
  place_[at(joint.body)] = Vec3();
  for (auto b = joint.beyond.rbegin(); b != joint.beyond.rend(); ++b) {  // parents first
    const BodyConstants& body = model.body(*b);
    const BodyLoad& own = ws.load[at(*b)];
    const Vec3& r = ws.motion[at(*b)].r;
    const SpatialVector& parent = moved_[at(body.parent)];
    SpatialVector moved{parent.angular, parent.linear + cross(parent.angular, r)};
    for (int i = body.v; i < body.v + body.nv; ++i) {
      moved = {moved.angular + dq[i] * ws.Hw[at(i)], moved.linear + dq[i] * ws.Hv[at(i)]};
    }
    const Vec3 p = place_[at(body.parent)] + r;
    moved_[at(*b)] = moved;
    place_[at(*b)] = p;
    const Vec3 own_dmc = cross(moved.angular, own.mc);
    const Mat3 turned = skew(moved.angular) * own.J;
    dJ = dJ + turned + transposed(turned);
    dJ = dJ + skew_products(own_dmc, p) + skew_products(own.mc, moved.linear);
    dJ = dJ + scaled(body.mass, skew_products(p, moved.linear));
    dmc += own_dmc + body.mass * moved.linear;
  }
  const Mat3 R_BW = transposed(start.R_WB);
  dd = (1.0 / start.mass) * (R_BW * dmc);
  dI = R_BW * (dJ * start.R_WB);
  if (joint.linear >= 0) dI = dI - scaled(start.mass, skew_products(start.d, dd));
}

bool FreeRotation::differentiate(const Model& model, const Workspace& ws, const double* v0, double dt_s,
                                 const Changes& changes, MatrixX& dv1, MatrixX& d_increment) noexcept {
  for (const Joint& joint : joints_) {
    Kick start;
    if (!kick(model, ws, joint, v0, dt_s, start)) continue;
    Drift drift;
    if (!find_drift(start.I, start.W, dt_s, drift)) return false;
    const double part_s = dt_s / drift.parts;
    const Mat3& I = start.I;
    const Mat3 R_AB = joint.R_AW * start.R_WB;
    const Vec3 d_A = R_AB * start.d;
    const Vec3 w_A = R_AB * start.W0;
    const Vec3 alpha_A = R_AB * start.alpha;
    const Vec3 d1 = rotated(drift, start.d);
    const Vec3 w1 = rotated(drift, drift.W);
    for (Eigen::Index c = 0; c < dv1.cols(); ++c) {
      const double* dq = changes.dq.col(c).data();
      const double* dv = changes.dv.col(c).data();
      const double* da = changes.da.col(c).data();
      Mat3 dI;
      Vec3 dd;
      inertia_change(model, ws, joint, start, dq, dI, dd);
      const Vec3 dW0 = load3(dv + joint.angular);
      const Vec3 dalpha = load3(da + joint.angular);
      Vec3 dW;
      solve3(I, cross(dW0, I * start.W0) + cross(start.W0, dI * start.W0 + I * dW0) - dI * start.gyroscopic, dW);
      dW = dW0 + dt_s * (dalpha + dW);
      Vec3 W = start.W;
      Vec3 turn;  // of the rotation on the way, in the axes at its end
      for (int i = 0; i < drift.parts; ++i) {
        const Vec3& b = drift.b[at(i)];
        const Vec3 middle = (2.0 / part_s) * b;
        const Vec3 W1 = 2.0 * middle - W;
        const Vec3 momentum = I * middle;
        Mat3 slope = skew(middle) * I - skew(momentum);
        for (std::size_t k = 0; k < 3; ++k) slope.c[k] = I.c[k] + (0.5 * part_s) * slope.c[k];
        const Vec3 gained = I * dW - dI * (W1 - W) -
                            part_s * (cross(middle, dI * middle) + 0.5 * (cross(dW, momentum) + cross(middle, I * dW)));
        Vec3 dW1;
        if (!solve3(slope, gained, dW1)) return false;
        const Vec3 db = (0.25 * part_s) * (dW + dW1);
        turn = cayley_turned(-b, turn) + (2.0 / (1.0 + dot(b, b))) * (db - cross(b, db));
        W = W1;
        dW = dW1;
      }
      store3(dW, dv1.col(c).data() + joint.angular);
      store3(vector_change(drift.increment, turn), d_increment.col(c).data() + joint.angular);
      if (joint.linear < 0) continue;

      const Vec3 w = load3(dq + joint.angular);  // of the body at the start
      const Vec3 dd_A = R_AB * (cross(w, start.d) + dd);
      const Vec3 dw_A = R_AB * (cross(w, start.W0) + dW0);
      const Vec3 dalpha_A = R_AB * (cross(w, start.alpha) + dalpha);
      const Vec3 dd1_A = R_AB * (cross(w, d1) + rotated(drift, cross(turn, start.d) + dd));
      const Vec3 dw1_A = R_AB * (cross(w, w1) + rotated(drift, cross(turn, drift.W) + dW));
      const Vec3 d_rate = cross(dw_A, d_A) + cross(w_A, dd_A);
      const Vec3 of_com = load3(dv + joint.linear) + d_rate +
                          dt_s * (load3(da + joint.linear) + cross(dalpha_A, d_A) + cross(alpha_A, dd_A) +
                                  cross(dw_A, cross(w_A, d_A)) + cross(w_A, d_rate));
      const Vec3 v1 = of_com - cross(dw1_A, R_AB * d1) - cross(R_AB * w1, dd1_A);
      store3(v1, dv1.col(c).data() + joint.linear);
      store3(dt_s * of_com + dd_A - dd1_A, d_increment.col(c).data() + joint.linear);
    }
  }
  return true;
}

}  // namespace kinloop

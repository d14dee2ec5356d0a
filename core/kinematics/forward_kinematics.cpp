// The kinematic sweep, ground to leaves. Revolute, prismatic and universal joints, most of every machine, have kernels
// of their own.
#include "core/kinematics/forward_kinematics.hpp"

#include "core/base/at.hpp"
#include "core/math/sincos.hpp"

namespace kinloop {
namespace {

/// What a sweep is to find.
enum class Sweep { kPositions, kAll };

/// docs/theory/conventions.md §4 for a joint with relative velocities wJ, vJ and biases bw, bv, all in world axes.
inline void move(const BodyMotion& p, const Vec3& wJ, const Vec3& vJ, const Vec3& bw, const Vec3& bv,
                 BodyMotion& m) noexcept {
  const Vec3 w_r = cross(p.w, m.r);
  m.w = p.w + wJ;
  m.v = p.v + w_r + vJ;
  m.al = p.al + cross(p.w, wJ) + bw;
  m.a = p.a + cross(p.al, m.r) + cross(p.w, fused(2.0, vJ, w_r)) + bv;
}

template <Sweep kSweep>
inline void revolute(const BodyConstants& body, const BodyMotion& p, double sine, double cosine, const double* v,
                     BodyMotion& m, Vec3& Hw, Vec3& Hv) noexcept {
  const Mat3& A = body.R_PA;
  const Mat3 R_PB(fused(cosine, A.c[0], sine * A.c[1]), fused_less(cosine, A.c[1], sine * A.c[0]), A.c[2]);
  m.R = p.R * R_PB;
  m.r = p.R * body.p_PA;
  Hw = m.R.c[2];
  Hv = Vec3();
  m.x = p.x + m.r;
  if constexpr (kSweep == Sweep::kPositions) return;
  const Vec3 wJ = v[body.v] * Hw;
  const Vec3 w_r = cross(p.w, m.r);
  m.w = fused(v[body.v], Hw, p.w);
  m.v = p.v + w_r;
  m.al = p.al + cross(p.w, wJ);
  m.a = p.a + cross(p.al, m.r) + cross(p.w, w_r);
}

template <Sweep kSweep>
inline void prismatic(const BodyConstants& body, const BodyMotion& p, double position, const double* v, BodyMotion& m,
                      Vec3& Hw, Vec3& Hv) noexcept {
  m.R = p.R * body.R_PA;
  m.r = fused(position, m.R.c[2], p.R * body.p_PA);
  Hw = Vec3();
  Hv = m.R.c[2];
  m.x = p.x + m.r;
  if constexpr (kSweep == Sweep::kAll) move(p, Vec3(), v[body.v] * Hv, Vec3(), Vec3(), m);
}

/// As core/joints/universal.cpp, in world axes.
template <Sweep kSweep>
inline void universal(const BodyConstants& body, const BodyMotion& p, const double* sine, const double* cosine,
                      const double* v, BodyMotion& m, Vec3* Hw, Vec3* Hv) noexcept {
  const Mat3 R_A = p.R * body.R_PA;
  const Vec3& x = R_A.c[0];
  const Vec3 y = fused(cosine[0], R_A.c[1], sine[0] * R_A.c[2]);
  const Vec3 z = fused_less(cosine[0], R_A.c[2], sine[0] * R_A.c[1]);
  m.R = Mat3(fused_less(cosine[1], x, sine[1] * z), y, fused(sine[1], x, cosine[1] * z));
  m.r = p.R * body.p_PA;
  Hw[0] = x;
  Hw[1] = y;
  Hv[0] = Hv[1] = Vec3();
  m.x = p.x + m.r;
  if constexpr (kSweep == Sweep::kPositions) return;
  const double v0 = v[body.v];
  const double v1 = v[body.v + 1];
  move(p, v0 * x + v1 * y, Vec3(), (v0 * v1) * z, Vec3(), m);
}

template <Sweep kSweep>
void general(const Model& model, int k, const BodyMotion& p, const double* q, const double* v, BodyMotion& m,
             Workspace& ws) noexcept {
  const BodyConstants& body = model.body(k);
  JointMotion joint;
  const std::array<double, 6> at_rest{};
  const double* const speeds = kSweep == Sweep::kAll ? v + body.v : at_rest.data();
  body.evaluate(model.joint_parameters(k), q + body.q, speeds, joint);
  const Mat3 R_A = p.R * body.R_PA;
  m.R = R_A * joint.R;
  m.r = p.R * body.p_PA + R_A * joint.p;
  m.x = p.x + m.r;
  Vec3 wJ;
  Vec3 vJ;
  const auto first = at(body.v);
  for (std::size_t i = 0; i < at(body.nv); ++i) {
    const std::size_t speed = first + i;
    ws.Hw[speed] = R_A * joint.Hw[i];
    ws.Hv[speed] = R_A * joint.Hv[i];
    wJ += speeds[i] * ws.Hw[speed];
    vJ += speeds[i] * ws.Hv[speed];
  }
  if constexpr (kSweep == Sweep::kAll) move(p, wJ, vJ, R_A * joint.bw, R_A * joint.bv, m);
}

/// A driven coordinate's acceleration is known, so it belongs to A_t.
void add_prescribed(const Model& model, const BodyConstants& body, double time_s, BodyMotion& m,
                    Workspace& ws) noexcept {
  for (int i = body.v; i < body.v + body.nv; ++i) {
    const int motion = model.coordinate(i).motion;
    if (motion < 0) continue;
    const double acceleration = model.motions()[at(motion)](time_s).d2;
    ws.prescribed[i] = acceleration;
    m.al += acceleration * ws.Hw[at(i)];
    m.a += acceleration * ws.Hv[at(i)];
  }
}

/// Inertia in world axes and what inertia takes from the applied force at vdot = 0.
inline void load_body(const BodyConstants& body, const BodyMotion& m, BodyLoad& load) noexcept {
  load.J = congruent(m.R, body.inertia);
  load.mc = m.R * body.first_moment;
  load.n = -(cross(m.w, load.J * m.w) + load.J * m.al + cross(load.mc, m.a));
  load.f = -(fused(body.mass, m.a, cross(m.al, load.mc)) + cross(m.w, cross(m.w, load.mc)));
}

template <Sweep kSweep>
void sweep(const Model& model, const double* q, const double* v, double time_s, Workspace& ws) noexcept {
  sincos_all(q, model.nq(), ws.sine.data(), ws.cosine.data());
  const int count = model.body_count();
  for (int k = 1; k < count; ++k) {
    const BodyConstants& body = model.body(k);
    const BodyMotion& parent = ws.motion[at(body.parent)];
    BodyMotion& m = ws.motion[at(k)];
    const auto qi = at(body.q);
    const auto vi = at(body.v);
    if (body.joint == JointType::kRevolute) {
      revolute<kSweep>(body, parent, ws.sine[qi], ws.cosine[qi], v, m, ws.Hw[vi], ws.Hv[vi]);
    } else if (body.joint == JointType::kPrismatic) {
      prismatic<kSweep>(body, parent, q[qi], v, m, ws.Hw[vi], ws.Hv[vi]);
    } else if (body.joint == JointType::kUniversal) {
      universal<kSweep>(body, parent, &ws.sine[qi], &ws.cosine[qi], v, m, &ws.Hw[vi], &ws.Hv[vi]);
    } else {
      general<kSweep>(model, k, parent, q, v, m, ws);
    }
    if constexpr (kSweep == Sweep::kAll) {
      if (body.driven) add_prescribed(model, body, time_s, m, ws);
      load_body(body, m, ws.load[at(k)]);
    }
  }
}

}  // namespace

void update_kinematics(const Model& model, const double* q, const double* v, double time_s, Workspace& ws) noexcept {
  sweep<Sweep::kAll>(model, q, v, time_s, ws);
}

void update_positions(const Model& model, const double* q, Workspace& ws) noexcept {
  sweep<Sweep::kPositions>(model, q, nullptr, 0.0, ws);
}

void update_velocities(const Model& model, const double* v, Workspace& ws) noexcept {
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const BodyMotion& p = ws.motion[at(body.parent)];
    BodyMotion& m = ws.motion[at(k)];
    m.w = p.w;
    m.v = p.v + cross(p.w, m.r);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      m.w += v[i] * ws.Hw[at(i)];
      m.v += v[i] * ws.Hv[at(i)];
    }
  }
}

void apply_prescribed_motion(const Model& model, double time_s, double* q, double* v) noexcept {
  for (const int i : model.driven_speeds()) {
    const CoordinateConstants& c = model.coordinate(i);
    const FunctionValue value = model.motions()[at(c.motion)](time_s);
    q[c.q] = value.f;
    v[i] = value.d1;
  }
}

}  // namespace kinloop

// Owns LaneMechanism: the sweeps of a tree over W states at once, core/kinematics/forward_kinematics.cpp and
// core/dynamics/tree/rfda.cpp in the same order of the same operations, with the same names.
//
// Joints that have a kernel here are evaluated in lanes, all others state by state by their own code, and so are force
// elements.
#pragma once

#include <array>

#include "core/base/indexed_vector.hpp"
#include "core/batch/lane.hpp"
#include "core/dynamics/articulated_inertia.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/loaded_bodies.hpp"
#include "core/forces/loads.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop::batch {

/// What a sweep is to find.
enum class Find { kPositions, kAll };

/// As BodyMotion.
template <int W>
struct MotionLanes {
  Mat<W> R;
  Vec<W> x, r, w, v, al, a;
};

/// As BodyLoad.
template <int W>
struct LoadLanes {
  Sym<W> J;
  Vec<W> mc, n, f;
};

/// Articulated inertia and force of a body, at x_k.
template <int W>
struct ArticulatedLanes {
  Sym<W> J, M;
  Mat<W> L;
  Vec<W> n, f;

  ArticulatedLanes() = default;
  [[gnu::always_inline]] ArticulatedLanes(const ArticulatedLanes& b) noexcept
      : J(b.J), M(b.M), L(b.L), n(b.n), f(b.f) {}
  [[gnu::always_inline]] ArticulatedLanes& operator=(const ArticulatedLanes& b) noexcept {
    J = b.J;
    M = b.M;
    L = b.L;
    n = b.n;
    f = b.f;
    return *this;
  }
};

template <int W>
class LaneMechanism {
  using L = Lane<W>;
  using V = Vec<W>;

 public:
  explicit LaneMechanism(const Model& model)
      : model_(model),
        nodes_(model.body_count()),
        body_(nodes_.size()),
        load_(nodes_.size()),
        H_(model.nv()),
        tau_(H_.size()),
        applied_(H_.size()),
        vdot_(H_.size()),
        prescribed_(H_.size()),
        h_(nodes_.size()),
        A_(nodes_.size()),
        eliminated_(H_.size()),
        loaded_bodies_(loaded_bodies(model)),
        ws_(model),
        q_of_lane_(model.nq()),
        v_of_lane_(model.nv()) {
    for (int k = model.body_count() - 1; k > 0; --k) {
      const BodyConstants& body = model.body(k);
      Node& node = nodes_[k];
      Node& parent = nodes_[body.parent];
      node.last_child = parent.leaf;
      parent.leaf = false;
      node.slides = body.joint == JointType::kPrismatic;
      node.single_revolute = body.joint == JointType::kRevolute && !body.driven;
      node.diagonal = body.inertia(0, 1) == 0.0 && body.inertia(0, 2) == 0.0 && body.inertia(1, 2) == 0.0;
      for (std::size_t c = 0; c < 3; ++c) {
        for (int axis = 0; axis < 3; ++axis) {
          const double along = body.R_PA.c[c][axis];
          const Vec3 rest = body.R_PA.c[c] - along * identity3().c[axis];
          if (std::abs(along) != 1.0 || dot(rest, rest) != 0.0) continue;
          node.axis[c] = axis;
          node.sign[c] = along;
        }
      }
    }
    for (std::size_t c = 0; c < 3; ++c) body_[0].R.c[c] = V(identity3().c[c]);
    body_[0].a = V(-Vec3(model.gravity()));
    for (const ForceElementKind* kind : force_element_kinds()) {
      if (kind != &force_elements::kJointForce && kind->count(model) > 0) elements_.push_back(kind);
    }
    has_places_ = model.has_loops() || !elements_.empty();
    for (int i = 0; i < model.nv(); ++i) {
      driven_.push_back(model.coordinate(i).motion >= 0 ? 1 : 0);
      armature_.push_back(model.coordinate(i).armature);
      if (model.coordinate(i).has_force()) sprung_speeds_.push_back(i);
    }
  }

  const Model& model() const noexcept { return model_; }
  const MotionLanes<W>& body(int k) const noexcept { return body_[k]; }
  const LoadLanes<W>& load(int k) const noexcept { return load_[k]; }
  const Spatial<W>& H(int speed) const noexcept { return H_[speed]; }
  bool driven(int speed) const noexcept { return driven_[speed] != 0; }
  IndexedVector<L>& applied() noexcept { return applied_; }  // held over a step
  const IndexedVector<L>& tau() const noexcept { return tau_; }
  IndexedVector<L>& vdot() noexcept { return vdot_; }
  const L& vdot_of(int speed) const noexcept { return vdot_[speed]; }
  const IndexedVector<L>& prescribed() const noexcept { return prescribed_; }

  template <Find kFind>
  void update_kinematics(const IndexedVector<L>& q, const IndexedVector<L>& v, const L& time_s) noexcept {
    const int count = model_.body_count();
    for (int k = 1; k < count; ++k) {
      const BodyConstants& body = model_.body(k);
      if (body.joint == JointType::kRevolute) {
        revolute<kFind>(k, body, q, v, time_s);
      } else if (body.joint == JointType::kPrismatic) {
        prismatic<kFind>(k, body, q, v, time_s);
      } else if (body.joint == JointType::kUniversal) {
        universal<kFind>(k, body, q, v, time_s);
      } else {
        general<kFind>(k, body, q, v, time_s);
      }
    }
  }

  /// w and v alone, at the positions of the last sweep.
  void update_velocities(const IndexedVector<L>& v) noexcept {
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const MotionLanes<W>& p = body_[body.parent];
      MotionLanes<W>& m = body_[k];
      m.w = p.w;
      m.v = p.v + cross(p.w, m.r);
      for (int i = body.v; i < body.v + body.nv; ++i) {
        m.w = fused(v[i], H_[i].angular, m.w);
        m.v = fused(v[i], H_[i].linear, m.v);
      }
    }
  }

  /// core/forces/loads.cpp: along joints in lanes, elements between bodies state by state.
  void add_forces(const IndexedVector<L>& q, const IndexedVector<L>& v, int lanes) noexcept {
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] = applied_[i];
    for (const int i : sprung_speeds_) {
      const CoordinateConstants& c = model_.coordinate(i);
      tau_[i] += joint_force_of(c, c.q >= 0 ? q[c.q] : L(), v[i]);
    }
    if (!elements_.empty()) add_elements(q, v, lanes);
  }

  /// One state's motion and load of a body, for code that works state by state.
  void gather(int k, int lane, Workspace& ws) const noexcept {
    gather_motion(k, lane, ws.motion[k]);
    const LoadLanes<W>& m = load_[k];
    BodyLoad& load = ws.load[k];
    const Vec3 x(m.J.xx[lane], m.J.xy[lane], m.J.xz[lane]);
    load.J = Mat3(x, Vec3(x.y(), m.J.yy[lane], m.J.yz[lane]), Vec3(x.z(), m.J.yz[lane], m.J.zz[lane]));
    load.mc = m.mc.of(lane);
  }

  /// vdot of a tree; returns where a speed moves no inertia.
  Mask<W> solve_tree() noexcept {
    const Mask<W> singular = inward();
    outward();
    return singular;
  }

 private:
  struct Node {
    bool leaf = true;
    bool last_child = false;  // its contribution reaches the parent first, so it is stored and not added
    bool single_revolute = false;
    bool slides = false;                     // along one axis, and does not turn
    bool diagonal = false;                   // inertia in the axes of the body
    std::array<int, 3> axis = {-1, -1, -1};  // of the parent with which an axis of frame A coincides; -1: none
    std::array<double, 3> sign{};
  };
  struct Eliminated {
    Spatial<W> U;  // at the parent's point
    L inverse_D, e;
  };

  static void take(const IndexedVector<L>& from, int lane, IndexedVector<double>& to) noexcept {
    take(from, lane, to.data());
  }
  static void take(const IndexedVector<L>& from, int lane, double* to) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i][lane];
  }

  void gather_motion(int k, int lane, BodyMotion& to) const noexcept {
    const MotionLanes<W>& m = body_[k];
    to.R = m.R.of(lane);
    to.x = m.x.of(lane);
    to.r = m.r.of(lane);
    to.w = m.w.of(lane);
    to.v = m.v.of(lane);
  }

  /// As joint_force() of core/forces/joint_forces.cpp.
  static L joint_force_of(const CoordinateConstants& c, const L& q, const L& u) noexcept {
    L force = L(c.force) - L(c.damping) * u;
    if (c.stiffness != 0.0) force -= L(c.stiffness) * (q - L(c.rest));
    if (c.dry_friction != 0.0) force -= L(c.dry_friction) * hyperbolic_tangent(u / L(c.friction_speed));
    if (c.limited) {
      const L depth = q - smaller(larger(q, L(c.lower)), L(c.upper));
      const L push = L(c.limit_stiffness) * depth + L(c.limit_damping) * u;
      force -= select(push * depth > L(0.0), push, L());
    }
    return force;
  }

  [[gnu::noinline]] void add_elements(const IndexedVector<L>& q, const IndexedVector<L>& v, int lanes) noexcept {
    for (int lane = 0; lane < lanes; ++lane) {
      take(q, lane, q_of_lane_);
      take(v, lane, v_of_lane_);
      take(tau_, lane, ws_.tau.data());
      for (const int k : loaded_bodies_) {
        gather_motion(k, lane, ws_.motion[k]);
        ws_.load[k].n = ws_.load[k].f = Vec3();
      }
      for (const ForceElementKind* kind : elements_) {
        kind->add_forces(model_, q_of_lane_.data(), v_of_lane_.data(), ws_);
      }
      for (const int k : loaded_bodies_) {
        if (k == 0) continue;
        LoadLanes<W>& m = load_[k];
        m.n.set(lane, m.n.of(lane) + ws_.load[k].n);
        m.f.set(lane, m.f.of(lane) + ws_.load[k].f);
      }
      for (int i = 0; i < model_.nv(); ++i) tau_[i].set(lane, ws_.tau[i]);
    }
  }

  /// docs/theory/conventions.md §4 for a joint with relative velocities wJ, vJ and biases bw, bv, all in world axes.
  [[gnu::always_inline]] static void move(const MotionLanes<W>& p, const V& wJ, const V& vJ, const V& bw, const V& bv,
                                          MotionLanes<W>& m) noexcept {
    const V w_r = cross(p.w, m.r);
    m.w = p.w + wJ;
    m.v = p.v + w_r + vJ;
    m.al = p.al + cross(p.w, wJ) + bw;
    m.a = cross_plus(p.w, fused(L(2.0), vJ, w_r), cross_plus(p.al, m.r, p.a)) + bv;
  }

  template <Find kFind>
  [[gnu::always_inline]] void store(int k, const BodyConstants& body, const L& time_s, MotionLanes<W>& m) noexcept {
    MotionLanes<W>& to = body_[k];
    to.R = m.R;
    to.r = m.r;
    if (has_places_) to.x = m.x;
    if constexpr (kFind == Find::kAll) {
      if (body.driven) add_prescribed(body, time_s, m);
      to.w = m.w;
      if (has_places_) to.v = m.v;
      to.al = m.al;
      to.a = m.a;
      find_load(nodes_[k], body, m, load_[k]);
    }
  }

  /// Column c of p.R R_PA: often R_PA only exchanges axes.
  [[gnu::always_inline]] static V turned_axis(const Node& node, const BodyConstants& body, const MotionLanes<W>& p,
                                              std::size_t c) noexcept {
    if (node.axis[c] >= 0) return L(node.sign[c]) * p.R.c[node.axis[c]];
    return times(p.R, body.R_PA.c[c]);
  }

  template <Find kFind>
  void revolute(int k, const BodyConstants& body, const IndexedVector<L>& q, const IndexedVector<L>& v,
                const L& time_s) noexcept {
    const Node& node = nodes_[k];
    const MotionLanes<W>& p = body_[body.parent];
    L sine;
    L cosine;
    sine_cosine(q[body.q], sine, cosine);
    MotionLanes<W> m;
    const V a0 = turned_axis(node, body, p, 0);
    const V a1 = turned_axis(node, body, p, 1);
    m.R.c[2] = turned_axis(node, body, p, 2);
    m.R.c[0] = fused(cosine, a0, sine * a1);
    m.R.c[1] = fused_from(sine, a0, cosine * a1);
    m.r = times(p.R, body.p_PA);
    if (has_places_) m.x = p.x + m.r;
    H_[body.v] = {m.R.c[2], V()};
    if constexpr (kFind == Find::kAll) {
      const L& u = v[body.v];
      const V w_r = cross(p.w, m.r);
      m.w = fused(u, m.R.c[2], p.w);
      if (has_places_) m.v = p.v + w_r;
      m.al = cross_plus(p.w, u * m.R.c[2], p.al);
      m.a = cross_plus(p.w, w_r, cross_plus(p.al, m.r, p.a));
    }
    store<kFind>(k, body, time_s, m);
  }

  template <Find kFind>
  void prismatic(int k, const BodyConstants& body, const IndexedVector<L>& q, const IndexedVector<L>& v,
                 const L& time_s) noexcept {
    const Node& node = nodes_[k];
    const MotionLanes<W>& p = body_[body.parent];
    MotionLanes<W> m;
    for (std::size_t c = 0; c < 3; ++c) m.R.c[c] = turned_axis(node, body, p, c);
    m.r = fused(q[body.q], m.R.c[2], times(p.R, body.p_PA));
    if (has_places_) m.x = p.x + m.r;
    H_[body.v] = {V(), m.R.c[2]};
    if constexpr (kFind == Find::kAll) move(p, V(), v[body.v] * m.R.c[2], V(), V(), m);
    store<kFind>(k, body, time_s, m);
  }

  template <Find kFind>
  void universal(int k, const BodyConstants& body, const IndexedVector<L>& q, const IndexedVector<L>& v,
                 const L& time_s) noexcept {
    const Node& node = nodes_[k];
    const MotionLanes<W>& p = body_[body.parent];
    L s0;
    L c0;
    L s1;
    L c1;
    sine_cosine(q[body.q], s0, c0);
    sine_cosine(q[body.q + 1], s1, c1);
    MotionLanes<W> m;
    const V x = turned_axis(node, body, p, 0);
    const V y_A = turned_axis(node, body, p, 1);
    const V z_A = turned_axis(node, body, p, 2);
    const V y = fused(c0, y_A, s0 * z_A);
    const V z = fused_from(s0, y_A, c0 * z_A);
    m.R.c[0] = fused_from(s1, z, c1 * x);
    m.R.c[1] = y;
    m.R.c[2] = fused(s1, x, c1 * z);
    m.r = times(p.R, body.p_PA);
    if (has_places_) m.x = p.x + m.r;
    H_[body.v] = {x, V()};
    H_[body.v + 1] = {y, V()};
    if constexpr (kFind == Find::kAll) {
      const L& v0 = v[body.v];
      const L& v1 = v[body.v + 1];
      move(p, fused(v1, y, v0 * x), V(), (v0 * v1) * z, V(), m);
    }
    store<kFind>(k, body, time_s, m);
  }

  template <Find kFind>
  void general(int k, const BodyConstants& body, const IndexedVector<L>& q, const IndexedVector<L>& v,
               const L& time_s) noexcept {
    const MotionLanes<W>& p = body_[body.parent];
    const int coordinates = joint_kind(body.joint).nq;
    const int speeds = body.nv;
    Mat<W> R_AB;
    V p_AB;
    V bw;
    V bv;
    std::array<Spatial<W>, 6> columns;
    for (int lane = 0; lane < W; ++lane) {
      std::array<double, 7> own_q{};
      std::array<double, 6> own_v{};
      for (int i = 0; i < coordinates; ++i) own_q[i] = q[body.q + i][lane];
      if constexpr (kFind == Find::kAll) {
        for (int i = 0; i < speeds; ++i) own_v[i] = v[body.v + i][lane];
      }
      JointMotion joint;
      body.evaluate(model_.joint_parameters(k), own_q.data(), own_v.data(), joint);
      R_AB.set(lane, joint.R);
      p_AB.set(lane, joint.p);
      bw.set(lane, joint.bw);
      bv.set(lane, joint.bv);
      for (int i = 0; i < speeds; ++i) {
        columns[i].angular.set(lane, joint.Hw[i]);
        columns[i].linear.set(lane, joint.Hv[i]);
      }
    }
    const Mat<W> R_A = times(p.R, body.R_PA);
    MotionLanes<W> m;
    for (std::size_t c = 0; c < 3; ++c) m.R.c[c] = R_A * R_AB.c[c];
    m.r = times(p.R, body.p_PA) + R_A * p_AB;
    if (has_places_) m.x = p.x + m.r;
    V wJ;
    V vJ;
    for (int i = 0; i < speeds; ++i) {
      Spatial<W>& H = H_[body.v + i];
      H = {R_A * columns[i].angular, R_A * columns[i].linear};
      if constexpr (kFind == Find::kAll) {
        wJ = fused(v[body.v + i], H.angular, wJ);
        vJ = fused(v[body.v + i], H.linear, vJ);
      }
    }
    if constexpr (kFind == Find::kAll) move(p, wJ, vJ, R_A * bw, R_A * bv, m);
    store<kFind>(k, body, time_s, m);
  }

  [[gnu::noinline]] void add_prescribed_to(const BodyConstants& body, const L& time_s, V& al, V& a) noexcept {
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const int motion = model_.coordinate(i).motion;
      if (motion < 0) continue;
      L& acceleration = prescribed_[i];
      for (int lane = 0; lane < W; ++lane) acceleration.set(lane, model_.motions()[motion](time_s[lane]).d2);
      al = fused(acceleration, H_[i].angular, al);
      a = fused(acceleration, H_[i].linear, a);
    }
  }
  [[gnu::always_inline]] void add_prescribed(const BodyConstants& body, const L& time_s, MotionLanes<W>& m) noexcept {
    V al = m.al;
    V a = m.a;
    add_prescribed_to(body, time_s, al, a);
    m.al = al;
    m.a = a;
  }

  /// Inertia in world axes and what inertia takes from the applied force at vdot = 0.
  [[gnu::always_inline]] static void find_load(const Node& node, const BodyConstants& body, const MotionLanes<W>& m,
                                               LoadLanes<W>& to) noexcept {
    Sym<W> J;
    if (node.diagonal) {
      J = congruent_to_diagonal(m.R, body.inertia);
    } else {
      J = congruent(m.R, body.inertia);
    }
    const V mc = times(m.R, body.first_moment);
    to.J = J;
    to.mc = mc;
    to.n = -cross_plus(m.w, J * m.w, times_plus(J, m.al, cross(mc, m.a)));
    to.f = -cross_plus(m.w, cross(m.w, mc), fused(L(body.mass), m.a, cross(m.al, mc)));
  }

  [[gnu::always_inline]] static ArticulatedLanes<W> rigid(double mass, const LoadLanes<W>& m) noexcept {
    ArticulatedLanes<W> h;
    h.J = m.J;
    h.L.c[0] = V(L(), -m.mc.z, m.mc.y);
    h.L.c[1] = V(m.mc.z, L(), -m.mc.x);
    h.L.c[2] = V(-m.mc.y, m.mc.x, L());
    h.M.xx = h.M.yy = h.M.zz = L(mass);
    h.n = m.n;
    h.f = m.f;
    return h;
  }

  /// A body's own, and what hangs on it.
  [[gnu::always_inline]] static ArticulatedLanes<W> with_children(double mass, const LoadLanes<W>& m,
                                                                  const ArticulatedLanes<W>& c) noexcept {
    ArticulatedLanes<W> h;
    h.J = c.J;
    h.J += m.J;
    h.L.c[0] = V(c.L.c[0].x, c.L.c[0].y - m.mc.z, c.L.c[0].z + m.mc.y);
    h.L.c[1] = V(c.L.c[1].x + m.mc.z, c.L.c[1].y, c.L.c[1].z - m.mc.x);
    h.L.c[2] = V(c.L.c[2].x - m.mc.y, c.L.c[2].y + m.mc.x, c.L.c[2].z);
    h.M = c.M;
    h.M.xx += L(mass);
    h.M.yy += L(mass);
    h.M.zz += L(mass);
    h.n = c.n + m.n;
    h.f = c.f + m.f;
    return h;
  }

  [[gnu::always_inline]] static void add(ArticulatedLanes<W>& sum, const ArticulatedLanes<W>& h) noexcept {
    sum.J += h.J;
    sum.M += h.M;
    for (std::size_t c = 0; c < 3; ++c) sum.L.c[c] += h.L.c[c];
    sum.n += h.n;
    sum.f += h.f;
  }

  /// B^T h B with B = X(r): L' = L - M [r]x, J' = J + S + S^T with S = [r]x (L - M [r]x / 2).
  [[gnu::always_inline]] static void shift(ArticulatedLanes<W>& h, const V& r) noexcept {
    const V m0(h.M.xx, h.M.xy, h.M.xz);
    const V m1(h.M.xy, h.M.yy, h.M.yz);
    const V m2(h.M.xz, h.M.yz, h.M.zz);
    const std::array<V, 3> N = {fused_from(r.y, m2, r.z * m1), fused_from(r.z, m0, r.x * m2),
                                fused_from(r.x, m1, r.y * m0)};
    std::array<V, 3> S;
    for (std::size_t c = 0; c < 3; ++c) S[c] = cross(r, fused_from(L(0.5), N[c], h.L.c[c]));
    h.J.xx += S[0].x + S[0].x;
    h.J.xy += S[1].x + S[0].y;
    h.J.xz += S[2].x + S[0].z;
    h.J.yy += S[1].y + S[1].y;
    h.J.yz += S[2].y + S[1].z;
    h.J.zz += S[2].z + S[2].z;
    for (std::size_t c = 0; c < 3; ++c) h.L.c[c] -= N[c];
    h.n = cross_plus(r, h.f, h.n);
  }

  /// The same of a rigid body, whose M is a number and whose L follows from mc.
  [[gnu::always_inline]] static void shift_rigid(ArticulatedLanes<W>& h, const L& mass, const V& mc,
                                                 const V& r) noexcept {
    const V u = fused(L(0.5) * mass, r, mc);
    const L xx = r.x * u.x;
    const L yy = r.y * u.y;
    const L zz = r.z * u.z;
    h.J.xx += L(2.0) * (yy + zz);
    h.J.yy += L(2.0) * (xx + zz);
    h.J.zz += L(2.0) * (xx + yy);
    h.J.xy -= fused(r.x, u.y, r.y * u.x);
    h.J.xz -= fused(r.x, u.z, r.z * u.x);
    h.J.yz -= fused(r.y, u.z, r.z * u.y);
    const V moved = fused(mass, r, mc);
    h.L.c[0] = V(L(), -moved.z, moved.y);
    h.L.c[1] = V(moved.z, L(), -moved.x);
    h.L.c[2] = V(-moved.y, moved.x, L());
    h.n = cross_plus(r, h.f, h.n);
  }

  /// (11): h - U D^-1 U^T; (12): the force that goes with it.
  [[gnu::always_inline]] static void eliminate(ArticulatedLanes<W>& h, const Spatial<W>& U, const L& inverse_D,
                                               const L& e) noexcept {
    const V sn = inverse_D * U.angular;
    const V sf = inverse_D * U.linear;
    subtract_outer(h.J, U.angular, sn);
    subtract_outer(h.L, U.linear, sn);
    subtract_outer(h.M, U.linear, sf);
    h.n = fused_from(e, sn, h.n);
    h.f = fused_from(e, sf, h.f);
  }

  Mask<W> inward() noexcept {
    Mask<W> singular;
    for (int k = model_.body_count() - 1; k > 0; --k) {
      const BodyConstants& body = model_.body(k);
      const Node& node = nodes_[k];
      if (node.single_revolute) {
        singular |= node.leaf ? reduce_revolute<true>(k, body, node) : reduce_revolute<false>(k, body, node);
      } else {
        reduce_general(k, body, node, singular);
      }
    }
    return singular;
  }

  [[gnu::always_inline]] void pass_on(const Node& node, int parent, const ArticulatedLanes<W>& h) noexcept {
    if (node.last_child) {
      h_[parent] = h;
    } else {
      add(h_[parent], h);
    }
  }

  /// One speed about z. The shift to the parent needs no D, so it runs beside the division instead of after it.
  template <bool kLeaf>
  Mask<W> reduce_revolute(int k, const BodyConstants& body, const Node& node) noexcept {
    const int s = body.v;
    const MotionLanes<W>& m = body_[k];
    const V z = m.R.c[2];
    const LoadLanes<W>& load = load_[k];
    ArticulatedLanes<W> h;
    if constexpr (kLeaf) {
      h = rigid(body.mass, load);
    } else {
      h = with_children(body.mass, load, h_[k]);
    }
    V Un = h.J * z;
    const V Uf = kLeaf ? cross(z, load.mc) : h.L * z;
    const L D = dot_plus(z, Un, L(armature_[s]));
    const L e = dot_plus(z, h.n, tau_[s]);
    const L inverse_D = L(1.0) / D;
    const Mask<W> singular = ~(D > L(kSingular) * (h.J.xx + h.J.yy + h.J.zz));
    Eliminated& el = eliminated_[s];
    el.e = e;
    el.inverse_D = inverse_D;
    if (body.parent == 0) return singular;  // the ground takes no inertia
    const V r = m.r;
    if constexpr (kLeaf) {
      shift_rigid(h, L(body.mass), load.mc, r);
    } else {
      shift(h, r);
    }
    Un = cross_plus(r, Uf, Un);
    el.U = {Un, Uf};
    eliminate(h, {Un, Uf}, inverse_D, e);
    pass_on(node, body.parent, h);
    return singular;
  }

  /// Any joint: its speeds one after the other, the last first since it is next to the body.
  void reduce_general(int k, const BodyConstants& body, const Node& node, Mask<W>& singular) noexcept {
    const V r = body_[k].r;
    ArticulatedLanes<W> h = node.leaf ? rigid(body.mass, load_[k]) : with_children(body.mass, load_[k], h_[k]);
    for (int i = body.v + body.nv - 1; i >= body.v; --i) {
      if (driven(i)) continue;
      const int s = i;
      const Spatial<W>& H = H_[s];
      Eliminated& el = eliminated_[s];
      const Spatial<W> U = node.slides ? Spatial<W>{transposed_times(h.L, H.linear), h.M * H.linear}
                                       : Spatial<W>{times_plus(h.J, H.angular, transposed_times(h.L, H.linear)),
                                                    times_plus(h.M, H.linear, h.L * H.angular)};
      const L D = L(armature_[s]) + dot(H, U);
      el.e = tau_[s] + dot_plus(H.linear, h.f, dot(H.angular, h.n));
      el.inverse_D = L(1.0) / D;
      const L scale =
          dot(H.angular, H.angular) * (h.J.xx + h.J.yy + h.J.zz) + dot(H.linear, H.linear) * (h.M.xx + h.M.yy + h.M.zz);
      singular |= ~(D > L(kSingular) * scale);
      if (body.parent == 0 && i == body.v) return;  // the ground takes no inertia, and does not accelerate
      eliminate(h, U, el.inverse_D, el.e);
      el.U = {cross_plus(r, U.linear, U.angular), U.linear};
    }
    if (body.parent == 0) return;
    shift(h, r);
    pass_on(node, body.parent, h);
  }

  /// (8), solved for speeds and accelerations; U stands at the parent's point, so that U^T B A_p is one product.
  void outward() noexcept {
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const V& r = body_[k].r;
      const bool hangs_on_ground = body.parent == 0;
      Spatial<W> A = A_[body.parent];  // of the body-fixed point at the parent's reference point
      if (body.nv == 1 && !driven(body.v)) {
        const int s = body.v;
        const Eliminated& el = eliminated_[s];
        const L vdot = el.inverse_D * (hangs_on_ground ? el.e : el.e - dot(el.U, A));
        const V linear = cross_plus(A.angular, r, A.linear);
        const bool turns = nodes_[k].single_revolute;
        A_[k] = {fused(vdot, H_[s].angular, A.angular), turns ? linear : fused(vdot, H_[s].linear, linear)};
        vdot_[s] = vdot;
        continue;
      }
      for (int j = body.v; j < body.v + body.nv; ++j) {
        const int s = j;
        if (driven(j)) {
          vdot_[s] = prescribed_[s];
          continue;
        }
        const Eliminated& el = eliminated_[s];
        const bool is_first = hangs_on_ground && j == body.v;
        vdot_[s] = el.inverse_D * (is_first ? el.e : el.e - dot(el.U, A));
        A.angular = fused(vdot_[s], H_[s].angular, A.angular);
        A.linear = fused(vdot_[s], H_[s].linear - cross(H_[s].angular, r), A.linear);
      }
      A_[k] = {A.angular, cross_plus(A.angular, r, A.linear)};
    }
  }

  const Model& model_;
  IndexedVector<Node> nodes_;
  IndexedVector<MotionLanes<W>> body_;
  IndexedVector<LoadLanes<W>> load_;
  IndexedVector<Spatial<W>> H_;  // motion columns at x_k, one per speed
  IndexedVector<L> tau_, applied_, vdot_, prescribed_;
  IndexedVector<ArticulatedLanes<W>> h_;  // sums of the children's contributions
  IndexedVector<Spatial<W>> A_;           // ground first, which stays
  IndexedVector<Eliminated> eliminated_;
  IndexedVector<char> driven_;
  IndexedVector<double> armature_;
  IndexedVector<int> sprung_speeds_;
  IndexedVector<const ForceElementKind*> elements_;  // between bodies
  bool has_places_ = false;                          // somebody reads x and v
  IndexedVector<int> loaded_bodies_;
  Workspace ws_;  // of one state, for force elements
  IndexedVector<double> q_of_lane_, v_of_lane_;
};

}  // namespace kinloop::batch

// The sweeps of the hybrid formulation within one piece: paper 002 §4.3-4.5; docs/theory/cut-chains.md §3.
//
//   paper                         here
//   subchain i, base, tip         Piece, its nodes[0], its tips: a piece may branch, so it may have several tips
//   P^k, M_kk                     columns [Hw; Hv] of a speed, D (articulated_inertia.hpp)
//   I^_k, F^_k (16), (17)         ArticulatedInertia, at x_k, world axes
//   six massless base bodies      one Cholesky factor L of the base's I^: its rows are the six nodes
//   Q, f_c                        Cut::Q, at x of the outboard body; f_c acts on the tip, -f_c on the next base (52)
//   tau_t, tau_b (24), (25)       Piece::tau, a column per component of a port's f_c
//   T (19)                        step inward: tau - U (P^T tau) / D, then shifted to the parent
//   Gamma, Psi (54)-(58)          sums over the pieces of gamma and -eta
//   eta~, D_t, D_b (27)-(35)      not formed: see below
//
// The paper runs outward for D_t = M^-1 tau_t and then multiplies by G1 = tau_t^T (46)-(48). But the inward sweep is a
// factorization M = L D L^T of the piece's mass matrix, and P^T tau_k are the components of L^-1 tau_t, so that
// G1 D_t = sum over speeds of (P^T tau)^T (P^T tau) / D, and G1 eta = sum of (P^T tau)^T e / D: one sweep, no second.
// The outward sweep runs once, when f_c is known, and gives (26) as a whole.
//
// A means A^ and poses come from the uncut tree: at a cut only the loads make a gap, and A_t drops out of Psi (58).
#include "core/dynamics/hybrid/hybrid_sweeps.hpp"

#include <Eigen/Cholesky>

#include "core/dynamics/joint_rows.hpp"

namespace kinloop::hybrid {
namespace {

template <class Column>
SpatialVector split(const Column& a) noexcept {
  return {Vec3(a[0], a[1], a[2]), Vec3(a[3], a[4], a[5])};
}

/// (16)-(20): one speed. U stays at x_k. Returns whether D is usable.
bool eliminate_speed(const Vec3& Hw, const Vec3& Hv, double tau, double armature, ArticulatedInertia& h,
                     Elimination& el) noexcept {
  el.Un = h.J * Hw + transposed_times(h.L, Hv);
  el.Uf = h.L * Hw + h.M * Hv;
  el.e = tau + dot(Hw, h.n) + dot(Hv, h.f);
  const double D = armature + dot(Hw, el.Un) + dot(Hv, el.Uf);
  const double scale = dot(Hw, Hw) * trace(h.J) + dot(Hv, Hv) * trace(h.M);
  el.inverse_D = 1.0 / D;
  eliminate(h, el.Un, el.Uf, el.inverse_D, el.e);
  return D > kSingular * scale;
}

/// (16)-(20) for a speed that turns about a line through x_k.
bool eliminate_turn(const Vec3& z, double tau, double armature, ArticulatedInertia& h, Elimination& el) noexcept {
  const double scale = trace(h.J);
  el.Un = h.J * z;
  el.Uf = h.L * z;
  el.e = tau + dot(z, h.n);
  const double D = armature + dot(z, el.Un);
  el.inverse_D = 1.0 / D;
  eliminate(h, el.Un, el.Uf, el.inverse_D, el.e);
  return D > kSingular * scale;
}

/// A wrench at x_k, moved to x_k - r.
SpatialVector shifted(const SpatialVector& wrench, const Vec3& r) noexcept {
  return {wrench.angular + cross(r, wrench.linear), wrench.linear};
}

/// (25): the columns start as unit loads at the ports, and the cut joints' torques act on both neighbours.
void load_ports(const Workspace& ws, const Partition& partition, Piece& piece, ArticulatedInertia* h) noexcept {
  for (const int c : piece.tip_cuts) {
    const Cut& cut = partition.cuts[c];
    const Vec3& r = ws.motion[cut.body].r;
    for (int i = 0; i < cut.rows; ++i) piece.tau[cut.column + i] = shifted(cut.Q[i], r);
    if (cut.predecessor == 0) continue;
    const SpatialVector applied = shifted(cut.applied, r);
    h[cut.predecessor].n -= applied.angular;
    h[cut.predecessor].f -= applied.linear;
  }
  if (piece.base_cut < 0) return;
  const Cut& cut = partition.cuts[piece.base_cut];
  for (int i = 0; i < cut.rows; ++i) {
    piece.tau[piece.tip_columns + i] = {-cut.Q[i].angular, -cut.Q[i].linear};
  }
  h[cut.body].n += cut.applied.angular;
  h[cut.body].f += cut.applied.linear;
}

/// One speed's share of (24), (55)-(58): its responses, what they add to gamma and eta, and tau beyond it.
void respond(const Node& node, const Vec3& Hw, const Vec3& Hv, const Elimination& el, double* response,
             Piece& piece) noexcept {
  const Vec3 Un = el.inverse_D * el.Un;
  const Vec3 Uf = el.inverse_D * el.Uf;
  const double e = el.inverse_D * el.e;
  const int width = node.last - node.first;
  for (int j = 0; j < width; ++j) {
    SpatialVector& tau = piece.tau[node.first + j];
    const double u = dot(Hw, tau.angular) + dot(Hv, tau.linear);
    response[j] = u;
    tau.angular -= u * Un;
    tau.linear -= u * Uf;
    piece.eta[node.first + j] += u * e;
  }
  for (int j = 0; j < width; ++j) {
    const double scaled = el.inverse_D * response[j];
    double* column = piece.gamma.data() + (node.first + j) * piece.columns + node.first;
    for (int i = 0; i < width; ++i) column[i] += scaled * response[i];
  }
}

/// The floating base: all of (20)-(25) for its six nodes at once.
bool reduce_base(const ArticulatedInertia& h, Piece& piece) noexcept {
  Matrix6 I;
  const Matrix3 L = h.L.eigen();
  I << h.J.eigen(), L.transpose(), L, h.M.eigen();
  const Eigen::LLT<Matrix6> llt(I);
  piece.base_factor = llt.matrixL();
  for (int i = 0; i < 6; ++i) {
    const double pivot = piece.base_factor(i, i);
    if (!(pivot * pivot > kSingular * I(i, i))) return false;
  }
  const auto factor = piece.base_factor.triangularView<Eigen::Lower>();
  piece.base_load = stacked(h.n, h.f);
  factor.solveInPlace(piece.base_load);
  for (int j = 0; j < piece.columns; ++j) {
    Vector6 y = stacked(piece.tau[j].angular, piece.tau[j].linear);
    factor.solveInPlace(y);
    piece.base_tau.col(j) = y;
    piece.eta[j] += y.dot(piece.base_load);
  }
  piece.gamma += piece.base_tau.transpose().lazyProduct(piece.base_tau);
  return true;
}

}  // namespace

void orient_cut(const Model& model, const Workspace& ws, Cut& cut) noexcept {
  JointRows rows;
  update_joint_rows(model, cut.body, ws, rows);
  for (int i = 0; i < cut.rows; ++i) {
    cut.Q[i] = split(rows.G.row(i));
    cut.compliance[i] = rows.compliance[i];
  }
  const BodyConstants& body = model.body(cut.body);
  cut.applied = {};
  for (int i = 0; i < body.nv; ++i) {
    cut.W[i] = split(rows.W.col(i));
    if (model.coordinate(body.v + i).motion >= 0) continue;
    cut.applied.angular += ws.tau[body.v + i] * cut.W[i].angular;
    cut.applied.linear += ws.tau[body.v + i] * cut.W[i].linear;
  }
}

bool reduce_piece(const Model& model, const Workspace& ws, const Partition& partition, Piece& piece,
                  ArticulatedInertia* h, Elimination* eliminated) noexcept {
  for (const Node& node : piece.nodes) h[node.body] = rigid(model.body(node.body).mass, ws.load[node.body]);
  piece.gamma.setZero();
  piece.eta.setZero();
  load_ports(ws, partition, piece, h);

  bool regular = true;
  for (std::size_t index = piece.nodes.size(); index-- > 0;) {
    if (index == 0 && piece.base_cut >= 0) break;
    const Node& node = piece.nodes[index];
    const int k = node.body;
    const BodyConstants& body = model.body(k);
    for (int i = body.v + body.nv - 1; i >= body.v; --i) {  // the last speed first: it is the one next to the body
      const CoordinateConstants& c = model.coordinate(i);
      if (c.motion >= 0) continue;
      const Vec3& Hw = ws.Hw[i];
      const Vec3& Hv = ws.Hv[i];
      const bool usable = body.joint == JointType::kRevolute
                              ? eliminate_turn(Hw, ws.tau[i], c.armature, h[k], eliminated[i])
                              : eliminate_speed(Hw, Hv, ws.tau[i], c.armature, h[k], eliminated[i]);
      regular = regular && usable;
      double* response = piece.response.data() + node.response + (i - body.v) * (node.last - node.first);
      respond(node, Hw, Hv, eliminated[i], response, piece);
    }
    if (body.parent == 0) continue;
    const Vec3& r = ws.motion[k].r;
    add(h[body.parent], shifted(h[k], r));  // (16), (17)
    for (int j = node.first; j < node.last; ++j) piece.tau[j] = shifted(piece.tau[j], r);
  }
  if (!regular) return false;
  return piece.base_cut < 0 || reduce_base(h[piece.nodes[0].body], piece);
}

void expand_piece(const Model& model, const Piece& piece, const Elimination* eliminated, Workspace& ws) noexcept {
  std::size_t index = 0;
  if (piece.base_cut >= 0) {
    Vector6 A = piece.base_load;
    for (int j = 0; j < piece.columns; ++j) A += piece.f[j] * piece.base_tau.col(j);
    piece.base_factor.triangularView<Eigen::Lower>().transpose().solveInPlace(A);
    ws.A[piece.nodes[0].body] = split(A);
    index = 1;
  }
  for (; index < piece.nodes.size(); ++index) {
    const Node& node = piece.nodes[index];
    const BodyConstants& body = model.body(node.body);
    const SpatialVector& parent = ws.A[body.parent];
    const int width = node.last - node.first;
    Vec3 al = parent.angular;
    Vec3 a = parent.linear + cross(parent.angular, ws.motion[node.body].r);
    for (int i = body.v; i < body.v + body.nv; ++i) {  // (26)
      if (model.coordinate(i).motion >= 0) {
        ws.vdot[i] = ws.prescribed[i];
        continue;
      }
      const Elimination& el = eliminated[i];
      const double* response = piece.response.data() + node.response + (i - body.v) * width;
      double e = el.e;
      for (int j = 0; j < width; ++j) e += response[j] * piece.f[node.first + j];
      const double vdot = el.inverse_D * (e - dot(el.Un, al) - dot(el.Uf, a));
      ws.vdot[i] = vdot;
      al += vdot * ws.Hw[i];
      a += vdot * ws.Hv[i];
    }
    ws.A[node.body] = {al, a};
  }
}

void join_cut(const Model& model, const Cut& cut, Workspace& ws) noexcept {
  const BodyConstants& body = model.body(cut.body);
  const SpatialVector& A = ws.A[cut.body];
  const SpatialVector& parent = ws.A[cut.predecessor];
  const Vec3 al = A.angular - parent.angular;
  const Vec3 a = A.linear - parent.linear - cross(parent.angular, ws.motion[cut.body].r);
  for (int i = 0; i < body.nv; ++i) {
    const bool driven = model.coordinate(body.v + i).motion >= 0;
    const SpatialVector& W = cut.W[i];
    ws.vdot[body.v + i] = driven ? ws.prescribed[body.v + i] : dot(W.angular, al) + dot(W.linear, a);
  }
}

}  // namespace kinloop::hybrid

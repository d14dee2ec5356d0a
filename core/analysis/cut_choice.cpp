// Tries to exchange each cut with every other joint of its loop, until no exchange is clearly better.
#include "core/analysis/cut_choice.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/base/indexed_vector.hpp"
#include "core/constraints/allowed_motions.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/joints/joint.hpp"
#include "core/math/cholesky.hpp"

namespace kinloop {
namespace {

/// An exchange must raise the quality by this factor: what is as good stays as the file has it.
constexpr double kClearlyBetter = 1.05;
constexpr int kSweeps = 3;
/// A speed whose inertia is a smaller share than this of the largest stands for one that moves nothing.
constexpr double kNoInertia = 1e-12;

using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

Vector6 stacked(const Vec3& angular, const Vec3& linear) {
  Vector6 x;
  x << angular.eigen(), linear.eigen();
  return x;
}

/// A joint between two bodies, in the tree or not.
struct CutEdge {
  CutJoint of;
  int pred = 0, succ = 0;
  int first = 0, count = 0;  // its free coordinates
  bool may_be_cut = false, may_be_turned = true;
};

/// The mechanism as a graph, all in world axes at one point.
class CutGraph {
 public:
  CutGraph(const Model& model, const Workspace& ws) : model_(model), ws_(ws) {
    for (int k = 1; k < model.body_count(); ++k) centre_ += ws.motion[k].x;
    centre_ = (1.0 / std::max(1, model.body_count() - 1)) * centre_;
    add_tree();
    add_loops();
    for (int k = 1; k < model.body_count(); ++k) add_inertia(k);
  }

  const IndexedVector<CutEdge>& edges() const { return edges_; }

  /// False where the closed mechanism has a motion that moves no inertia.
  bool find_closed_mobility() {
    const MatrixX dofs = allowed_motions(model_, ws_);
    dofs_ = static_cast<int>(dofs.cols());
    MatrixX M;
    mass_matrix(model_, ws_, M);
    MatrixX reduced = dofs.transpose() * M * dofs;
    const double largest = dofs_ > 0 ? reduced.diagonal().maxCoeff() : 0.0;
    if (!factorize_cholesky(reduced)) return false;
    for (Eigen::Index i = 0; i < reduced.rows(); ++i) {
      if (!(reduced(i, i) * reduced(i, i) > kNoInertia * largest)) return false;
    }
    const MatrixX along = rates_of_coordinates() * dofs;  // of every coordinate, for each dof
    const MatrixX half = reduced.triangularView<Eigen::Lower>().solve(along.transpose());
    mobility_ = half.transpose() * half;
    return true;
  }

  /// Nothing where the cuts leave no tree, or one that a joint would have to be turned around for.
  std::optional<double> quality(const IndexedVector<char>& cut) const {
    const std::optional<IndexedVector<int>> tree = tree_without(cut);
    if (!tree) return std::nullopt;
    IndexedVector<int> slots;
    MatrixX M = tree_inertia(*tree, slots);
    const double largest = M.size() > 0 ? M.diagonal().maxCoeff() : 0.0;
    const VectorX own = M.diagonal();
    if (M.size() == 0) return 1.0;
    if (!factorize_cholesky(M)) return 0.0;
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      const bool has_inertia = own[i] > 0.0 && M(i, i) * M(i, i) > kNoInertia * std::min(own[i], largest);
      if (!has_inertia) return 0.0;
    }
    return volume(M, slots);
  }

 private:
  static bool acts(const CoordinateConstants& c) { return c.has_force() || c.armature != 0.0 || c.motion >= 0; }

  bool is_bound(int k) const {
    const BodyConstants& body = model_.body(k);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      if (acts(model_.coordinate(i))) return true;
      for (const Coupling& c : model_.couplings()) {
        if (c.v_dependent == i || c.v_of == i) return true;
      }
    }
    const std::vector<RopeSpec>& ropes = model_.spec().ropes;
    return std::any_of(ropes.begin(), ropes.end(),
                       [&](const RopeSpec& rope) { return rope.winch == model_.joint_name(k); });
  }

  static bool turns_around(JointType type) {
    const JointReversal reversal = joint_kind(type).reversal;
    return reversal != JointReversal::kNone && reversal != JointReversal::kInvertPoseAtRest;
  }

  void add_column(const Vec3& w, const Vec3& v, const Vec3& place) {
    columns_.push_back(stacked(w, v + cross(w, centre_ - place)));
  }

  void add_tree() {
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      CutEdge edge{{k, -1}, body.parent, k, columns_.count(), 0, false, turns_around(body.joint)};
      for (int i = body.v; i < body.v + body.nv; ++i) {
        if (model_.coordinate(i).motion >= 0) continue;
        add_column(ws_.Hw[i], ws_.Hv[i], ws_.motion[k].x);
        speeds_.push_back(i);
        ++edge.count;
      }
      edge.may_be_cut = edge.count > 0 && !is_bound(k);
      edges_.push_back(edge);
    }
  }

  void add_loops() {
    for (int l = 0; l < std::ssize(model_.loops()); ++l) {
      const LoopJoint& loop = model_.loops()[l];
      const LoopConstraint& constraint = ws_.loop_constraint[l];
      const int dofs = constraint.in_A().dofs;
      edges_.push_back(
          {{-1, l}, loop.predecessor, loop.successor, columns_.count(), dofs, true, turns_around(loop.type)});
      const Vec3 place = ws_.motion[loop.successor].x + constraint.arm_succ;
      for (int i = 0; i < dofs; ++i) {
        const SpatialVector H = constraint.H(i);
        add_column(H.angular, H.linear, place);
        speeds_.push_back(-1);
      }
    }
  }

  void add_inertia(int k) {
    const BodyMotion& motion = ws_.motion[k];
    const BodyLoad& load = ws_.load[k];
    const double mass = model_.body(k).mass;
    Matrix6 at_body = Matrix6::Zero();
    at_body.topLeftCorner<3, 3>() = load.J.eigen();
    at_body.topRightCorner<3, 3>() = skew(load.mc.eigen());
    at_body.bottomLeftCorner<3, 3>() = -skew(load.mc.eigen());
    at_body.bottomRightCorner<3, 3>().diagonal().setConstant(mass);
    Matrix6 shift = Matrix6::Identity();
    shift.bottomLeftCorner<3, 3>() = -skew((motion.x - centre_).eigen());
    inertia_.emplace_back(shift.transpose() * at_body * shift);
  }

  /// Twists of the bodies for each speed of the model's tree; the ground first.
  IndexedVector<Matrix6X> body_twists() const {
    IndexedVector<Matrix6X> twist(model_.body_count(), Matrix6X::Zero(6, model_.nv()));
    for (const CutEdge& edge : edges_) {
      if (edge.of.joint < 0) continue;
      twist[edge.succ] = twist[edge.pred];
      for (int s = edge.first; s < edge.first + edge.count; ++s) twist[edge.succ].col(speeds_[s]) += columns_[s];
    }
    return twist;
  }

  /// How fast every coordinate of the graph moves for each speed of the model's tree.
  MatrixX rates_of_coordinates() const {
    const IndexedVector<Matrix6X> twist = body_twists();
    MatrixX rates = MatrixX::Zero(columns_.count(), model_.nv());
    Vector6 weight;
    weight << 1.0, 1.0, 1.0, Vector3::Constant(1.0 / (model_.length_m() * model_.length_m()));
    for (const CutEdge& edge : edges_) {
      if (edge.of.joint >= 0) {
        for (int s = edge.first; s < edge.first + edge.count; ++s) rates(s, speeds_[s]) = 1.0;
      } else if (edge.count > 0) {
        Matrix6X H(6, edge.count);
        for (int s = 0; s < edge.count; ++s) H.col(s) = columns_[edge.first + s];
        const MatrixX weighted = H.transpose() * weight.asDiagonal();
        const Matrix6X between = twist[edge.succ] - twist[edge.pred];
        rates.middleRows(edge.first, edge.count) = (weighted * H).ldlt().solve(weighted * between);
      }
    }
    return rates;
  }

  /// Edges in the order in which a walk from the ground comes to their outer bodies, each with the body it comes from.
  std::optional<IndexedVector<int>> tree_without(const IndexedVector<char>& cut) const {
    IndexedVector<int> order;
    IndexedVector<char> reached(model_.body_count(), 0);
    IndexedVector<int> waiting{0};
    reached[0] = 1;
    for (int w = 0; w < waiting.count(); ++w) {
      for (int e = 0; e < edges_.count(); ++e) {
        const CutEdge& edge = edges_[e];
        if (cut[e] != 0 || (edge.pred != waiting[w] && edge.succ != waiting[w])) continue;
        const int other = edge.pred == waiting[w] ? edge.succ : edge.pred;
        if (reached[other] != 0) continue;
        if (edge.succ != other && !edge.may_be_turned) return std::nullopt;
        reached[other] = 1;
        order.push_back(e);
        waiting.push_back(other);
      }
    }
    if (waiting.count() < model_.body_count()) return std::nullopt;
    return order;
  }

  MatrixX tree_inertia(const IndexedVector<int>& tree, IndexedVector<int>& slots) const {
    for (const int e : tree) {
      for (int s = edges_[e].first; s < edges_[e].first + edges_[e].count; ++s) slots.push_back(s);
    }
    const int n = slots.count();
    IndexedVector<Matrix6X> twist(model_.body_count());
    twist[0] = Matrix6X::Zero(6, n);
    IndexedVector<char> reached(twist.size(), 0);
    reached[0] = 1;
    MatrixX M = MatrixX::Zero(n, n);
    Eigen::Index next = 0;
    for (const int e : tree) {
      const CutEdge& edge = edges_[e];
      const bool forward = reached[edge.pred] != 0;
      const int from = forward ? edge.pred : edge.succ;
      const int to = forward ? edge.succ : edge.pred;
      reached[to] = 1;
      twist[to] = twist[from];
      for (int s = edge.first; s < edge.first + edge.count; ++s) {
        twist[to].col(next) += (forward ? 1.0 : -1.0) * columns_[s];
        if (speeds_[s] >= 0) M(next, next) += model_.coordinate(speeds_[s]).armature;
        ++next;
      }
      M.noalias() += twist[to].transpose() * inertia_[to - 1] * twist[to];
    }
    return M;
  }

  /// (K9): the product of the pivots, by the factor of the tree's inertia.
  double volume(const MatrixX& L, const IndexedVector<int>& slots) const {
    const int n = slots.count();
    const MatrixX inverse = L.triangularView<Eigen::Lower>().solve(MatrixX::Identity(n, n));
    const VectorX scale = inverse.colwise().norm().cwiseInverse().transpose();
    MatrixX g(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) g(i, j) = mobility_(slots[i], slots[j]) * scale[i] * scale[j];
    }
    double product = 1.0;
    for (int k = 0; k < dofs_; ++k) {
      Eigen::Index i = 0;
      const double pivot = g.diagonal().maxCoeff(&i);
      if (!(pivot > 0.0)) return 0.0;
      product *= pivot;
      const VectorX column = g.col(i);
      g.noalias() -= column * column.transpose() / pivot;
    }
    return product;
  }

  const Model& model_;
  const Workspace& ws_;
  Vec3 centre_;
  IndexedVector<CutEdge> edges_;
  IndexedVector<Vector6> columns_;  // of every free coordinate
  IndexedVector<int> speeds_;       // index into v, or -1 where it belongs to a loop joint
  IndexedVector<Matrix6> inertia_;  // of body k at k - 1
  MatrixX mobility_;                // of the closed mechanism, along every coordinate of the graph
  int dofs_ = 0;
};

}  // namespace

CutChoice choose_cuts(const Model& model, const Workspace& ws) {
  CutChoice choice;
  for (int l = 0; l < std::ssize(model.loops()); ++l) choice.cuts.push_back({-1, l});
  if (model.loops().empty() || model.nv() > kMaxSpeedsForCuts) return choice;
  CutGraph graph(model, ws);
  if (!graph.find_closed_mobility()) return choice;
  const IndexedVector<CutEdge>& edges = graph.edges();
  IndexedVector<char> cut(edges.size(), 0);
  for (int e = 0; e < edges.count(); ++e) cut[e] = edges[e].of.loop >= 0 ? 1 : 0;
  choice.given = choice.chosen = graph.quality(cut).value_or(0.0);
  bool improved = true;
  for (int sweep = 0; sweep < kSweeps && improved; ++sweep) {
    improved = false;
    for (CutJoint& opened : choice.cuts) {
      const auto is_opened = [&](const CutEdge& edge) { return edge.of == opened; };
      const auto from = std::find_if(edges.begin(), edges.end(), is_opened) - edges.begin();
      std::ptrdiff_t best = from;
      cut[from] = 0;
      for (int e = 0; e < edges.count(); ++e) {
        if (cut[e] != 0 || !edges[e].may_be_cut || e == from) continue;
        cut[e] = 1;
        const std::optional<double> quality = graph.quality(cut);
        cut[e] = 0;
        if (!quality || !(*quality > kClearlyBetter * choice.chosen)) continue;
        choice.chosen = *quality;
        best = e;
        improved = true;
      }
      cut[best] = 1;
      opened = edges[best].of;
    }
  }
  return choice;
}

}  // namespace kinloop

// Writes each closing joint as: the motion of B seen from A is one that the joint has, at second order.
#include "tests/adversary/loop_rows.hpp"

#include <Eigen/QR>
#include <algorithm>

#include "core/base/at.hpp"

namespace kinloop::adversary {
namespace {

/// The speeds that move one of two bodies and not the other.
struct SplitPath {
  std::vector<int> succ, pred;
};

SplitPath split_path(const TreeMotion& motion, int pred, int succ) {
  SplitPath path;
  const std::vector<int>& a = motion.speeds[at(pred)];
  const std::vector<int>& b = motion.speeds[at(succ)];
  const auto holds = [](const std::vector<int>& list, int i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  };
  for (const int i : b) {
    if (!holds(a, i)) path.succ.push_back(i);
  }
  for (const int i : a) {
    if (!holds(b, i)) path.pred.push_back(i);
  }
  return path;
}

/// The largest arm of the loop.
Real length_of(const TreeMotion& motion, const SplitPath& path, const Vector3R& x_B) {
  Real length = 0;
  for (const auto* side : {&path.succ, &path.pred}) {
    for (const int i : *side) length = std::max(length, (motion.column[at(i)].x - x_B).norm());
  }
  return length > 0 ? length : 1;
}

/// Directions that the joint blocks, orthonormal where distances count in lengths of the loop.
MatrixXR blocked_directions(const MatrixXR& scaled_H) {
  const Eigen::Index k = scaled_H.cols();
  if (k == 0) return MatrixXR::Identity(6, 6);
  if (k == 6) return MatrixXR(6, 0);
  const MatrixXR Q = Eigen::HouseholderQR<MatrixXR>(scaled_H).householderQ() * MatrixXR::Identity(6, 6);
  return Q.rightCols(6 - k);
}

Vector6R stacked(const Vector3R& w, const Vector3R& v) {
  Vector6R both;
  both << w, v;
  return both;
}

}  // namespace

LoopRows loop_rows(const ModelSpec& spec, const Topology& topology, const TreeMotion& motion, const VectorXR& q,
                   const VectorXR& v) {
  Eigen::Index count = static_cast<Eigen::Index>(spec.couplings.size());
  for (const JointSpec& loop : spec.loops) count += 6 - joint_size(loop.type).nv;
  LoopRows rows{MatrixXR::Zero(count, topology.nv), MatrixXR::Zero(count, topology.nv), VectorXR::Zero(count),
                VectorXR::Zero(count), VectorXR::Zero(count)};
  Eigen::Index row = 0;
  for (std::size_t l = 0; l < spec.loops.size(); ++l) {
    const JointSpec& loop = spec.loops[l];
    const int pred = topology.loop_pred[l], succ = topology.loop_succ[l];
    const PoseJet X_WA = motion.body[at(pred)] * at_rest(precise(loop.frame_pred));
    const PoseJet X_WB = motion.body[at(succ)] * at_rest(precise(loop.frame_succ));
    const PoseJet X_AB = relative(X_WA, X_WB);
    const SplitPath path = split_path(motion, pred, succ);
    const Real length = length_of(motion, path, X_WB.p.f);
    Vector6R scale = Vector6R::Ones();
    scale.tail<3>().setConstant(1 / length);

    const Coordinates fit = fitted_coordinates(loop, {X_AB.R.f, X_AB.p.f});
    const MatrixXR H = scale.asDiagonal() * joint_columns(loop, fit);
    const Vector6R velocity = scale.cwiseProduct(stacked(X_AB.R.angular_velocity(), X_AB.p.d));
    Speeds speed{};
    if (H.cols() > 0) {
      const VectorXR w = H.colPivHouseholderQr().solve(velocity);
      for (Eigen::Index i = 0; i < w.size(); ++i) speed[at(i)] = w[i];
    }
    const PoseJet T = joint_pose(loop, fit, speed);
    const Vector6R gap = scale.cwiseProduct(stacked(axis_of(X_AB.R.f * T.R.f.transpose()), X_AB.p.f - T.p.f));
    const Vector6R wanted =
        scale.cwiseProduct(stacked(T.R.angular_acceleration() - X_AB.R.angular_acceleration(), T.p.dd - X_AB.p.dd));

    const MatrixXR G = blocked_directions(H);
    const Eigen::Index blocked = G.cols();
    const auto fill = [&](int i, Real sign) {
      const Column& c = motion.column[at(i)];
      const Matrix3R R_AW = X_WA.R.f.transpose();
      const Vector6R entry = scale.cwiseProduct(stacked(R_AW * c.w, R_AW * c.at(X_WB.p.f)));
      const Real turn = c.w.norm();
      const Real shift = (c.v.norm() + turn * (X_WB.p.f - c.x).norm()) / length;
      for (Eigen::Index g = 0; g < blocked; ++g) {
        rows.J(row + g, i) = sign * G.col(g).dot(entry);
        rows.bound(row + g, i) = G.col(g).head<3>().norm() * turn + G.col(g).tail<3>().norm() * shift;
      }
    };
    for (const int i : path.succ) fill(i, 1);
    for (const int i : path.pred) fill(i, -1);
    rows.gamma.segment(row, blocked) = G.transpose() * wanted;
    rows.error.segment(row, blocked) = G.transpose() * gap;
    rows.rate.segment(row, blocked) = G.transpose() * velocity;
    row += blocked;
  }
  for (std::size_t c = 0; c < spec.couplings.size(); ++c, ++row) {
    const int i = topology.coupled[c], of = topology.coupled_to[c];
    const Real ratio = spec.couplings[c].ratio;
    const auto q_of = [&](int speed) { return q[topology.q_at[at(topology.joint_of_speed[at(speed)])]]; };
    rows.J(row, i) += 1;
    rows.J(row, of) -= ratio;
    rows.bound(row, i) += 1;
    rows.bound(row, of) += std::abs(ratio);
    rows.error[row] = q_of(i) - ratio * q_of(of) - spec.couplings[c].offset;
    rows.rate[row] = v[i] - ratio * v[of];
  }
  return rows;
}

}  // namespace kinloop::adversary

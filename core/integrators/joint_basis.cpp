// Orthogonalizes the speeds of a joint in the metric of an inertia, and turns columns, forces and rates.
#include "core/integrators/joint_basis.hpp"

#include <algorithm>
#include <array>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// What rounding leaves of a sum that should vanish is no inertia.
constexpr double kBasisRounding = 1e-13;

}  // namespace

JointBasis::JointBasis(const Model& model) {
  for (int k = 1; k < model.body_count(); ++k) {
    if (model.body(k).nv > 1) joints_.emplace_back();
  }
}

void JointBasis::add(int first, int speeds, const Matrix6& B) noexcept {
  Joint& joint = joints_[count_++];
  joint.first = first;
  joint.speeds = speeds;
  joint.T.setIdentity();
  joint.D.setZero();
  Matrix6 BT = Matrix6::Zero();  // B t of each column that is done
  Vector6 left = B.diagonal();   // of each unit vector, square to those that are done
  std::array<bool, 6> is_done{};
  for (int done = 0; done < speeds; ++done) {
    int p = -1;
    for (int i = 0; i < speeds; ++i) {
      if (!is_done[at(i)] && (p < 0 || left[i] > left[p])) p = i;
    }
    for (int j = 0; j < speeds; ++j) {
      if (is_done[at(j)] && joint.D[j] > 0.0) joint.T.col(p) -= (BT(p, j) / joint.D[j]) * joint.T.col(j);
    }
    is_done[at(p)] = true;
    BT.col(p).noalias() = B * joint.T.col(p);
    const double inertia = joint.T.col(p).dot(BT.col(p));
    if (!(inertia > kBasisRounding * B(p, p))) continue;
    joint.D[p] = inertia;
    for (int i = 0; i < speeds; ++i) left[i] -= BT(i, p) * BT(i, p) / joint.D[p];
  }
}

void JointBasis::enter_columns(Workspace& ws) const noexcept {
  std::array<Vec3, 6> Hw, Hv;
  for (int b = 0; b < count_; ++b) {
    const Joint& joint = joints_[b];
    for (int i = 0; i < joint.speeds; ++i) {
      Hw[at(i)] = Hv[at(i)] = Vec3();
      for (int j = 0; j < joint.speeds; ++j) {
        Hw[at(i)] += joint.T(j, i) * ws.Hw[at(joint.first + j)];
        Hv[at(i)] += joint.T(j, i) * ws.Hv[at(joint.first + j)];
      }
    }
    std::copy_n(Hw.begin(), joint.speeds, ws.Hw.begin() + joint.first);
    std::copy_n(Hv.begin(), joint.speeds, ws.Hv.begin() + joint.first);
  }
}

void JointBasis::enter(Workspace& ws) const noexcept {
  enter_columns(ws);
  for (int b = 0; b < count_; ++b) {
    const Joint& joint = joints_[b];
    Vector6 force = Vector6::Zero();
    for (int i = 0; i < joint.speeds; ++i) {
      for (int j = 0; j < joint.speeds; ++j) force[i] += joint.T(j, i) * ws.tau[joint.first + j];
    }
    ws.tau.segment(joint.first, joint.speeds) = force.head(joint.speeds);
    ws.armature.segment(joint.first, joint.speeds) = joint.D.head(joint.speeds);
  }
}

void JointBasis::leave(VectorX& rates) const noexcept {
  for (int b = 0; b < count_; ++b) {
    const Joint& joint = joints_[b];
    Vector6 rate = Vector6::Zero();
    for (int j = 0; j < joint.speeds; ++j) rate += rates[joint.first + j] * joint.T.col(j);
    rates.segment(joint.first, joint.speeds) = rate.head(joint.speeds);
  }
}

}  // namespace kinloop

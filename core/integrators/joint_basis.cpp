// Orthogonalizes the speeds of a joint in the metric of an inertia, and turns columns, forces and rates.
#include "core/integrators/joint_basis.hpp"

#include <array>
#include <type_traits>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// What rounding leaves of a sum that should vanish is no inertia.
constexpr double kBasisRounding = 1e-13;

template <int N>
void orthogonalize(const JointMatrix& B, JointMatrix& T, Vector6& D) noexcept {
  JointMatrix S = B;  // of the unit vectors, square to those that are done
  T.setZero();
  D.setZero();
  std::array<bool, N> is_done{};
  for (int i = 0; i < N; ++i) T(i, i) = 1.0;
  for (int done = 0; done < N; ++done) {
    int p = -1;
    for (int i = 0; i < N; ++i) {
      if (!is_done[at(i)] && (p < 0 || S(i, i) > S(p, p))) p = i;
    }
    is_done[at(p)] = true;
    const double inertia = S(p, p);
    if (!(inertia > kBasisRounding * B(p, p))) continue;
    D[p] = inertia;
    const double inverse = 1.0 / inertia;
    for (int i = 0; i < N; ++i) {
      if (is_done[at(i)]) continue;
      const double share = S(p, i) * inverse;
      S.col(i) -= share * S.col(p);
      T.col(i) -= share * T.col(p);
    }
  }
}

}  // namespace

/// Calls the function with the number of speeds as a type.
template <class Function>
void JointBasis::with_size(const Joint& joint, Function&& function) {
  switch (joint.speeds) {
    case 2:
      return function(std::integral_constant<int, 2>());
    case 3:
      return function(std::integral_constant<int, 3>());
    case 4:
      return function(std::integral_constant<int, 4>());
    case 5:
      return function(std::integral_constant<int, 5>());
    default:
      return function(std::integral_constant<int, 6>());
  }
}

JointBasis::JointBasis(const Model& model) {
  for (int k = 1; k < model.body_count(); ++k) {
    if (model.body(k).nv > 1) joints_.emplace_back();
  }
}

void JointBasis::add(int first, int speeds, const JointMatrix& B) noexcept {
  Joint& joint = joints_[count_++];
  joint.first = first;
  joint.speeds = speeds;
  with_size(joint, [&]<int N>(std::integral_constant<int, N>) { orthogonalize<N>(B, joint.T, joint.D); });
}

void JointBasis::enter_columns(Workspace& ws) const noexcept {
  for (int b = 0; b < count_; ++b) {
    const Joint& joint = joints_[b];
    with_size(joint, [&]<int N>(std::integral_constant<int, N>) {
      std::array<Vec3, N> Hw, Hv;
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
          const auto s = at(joint.first + j);
          Hw[at(i)] = fused(joint.T(j, i), ws.Hw[s], Hw[at(i)]);
          Hv[at(i)] = fused(joint.T(j, i), ws.Hv[s], Hv[at(i)]);
        }
      }
      for (int i = 0; i < N; ++i) {
        const auto s = at(joint.first + i);
        ws.Hw[s] = Hw[at(i)];
        ws.Hv[s] = Hv[at(i)];
      }
    });
  }
}

void JointBasis::enter(Workspace& ws) const noexcept {
  enter_columns(ws);
  for (int b = 0; b < count_; ++b) {
    const Joint& joint = joints_[b];
    with_size(joint, [&]<int N>(std::integral_constant<int, N>) {
      std::array<double, N> force{};
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) force[at(i)] += joint.T(j, i) * ws.tau[joint.first + j];
      }
      for (int i = 0; i < N; ++i) {
        ws.tau[joint.first + i] = force[at(i)];
        ws.armature[joint.first + i] = joint.D[i];
      }
    });
  }
}

void JointBasis::leave(VectorX& rates) const noexcept {
  for (int b = 0; b < count_; ++b) {
    const Joint& joint = joints_[b];
    with_size(joint, [&]<int N>(std::integral_constant<int, N>) {
      std::array<double, N> rate{};
      for (int j = 0; j < N; ++j) {
        for (int i = 0; i < N; ++i) rate[at(i)] += rates[joint.first + j] * joint.T(i, j);
      }
      for (int i = 0; i < N; ++i) rates[joint.first + i] = rate[at(i)];
    });
  }
}

}  // namespace kinloop

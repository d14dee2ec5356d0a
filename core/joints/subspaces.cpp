// Finds what a joint blocks: the axes its columns leave out, or what the joint itself knows.
#include "core/joints/subspaces.hpp"

#include <cmath>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Joints whose directions are constant move along axes of A at rest; the other axes are blocked.
void blocked_axes(const JointSubspaces& directions, SpatialVector* out) noexcept {
  const Mat3 axes = identity3();
  for (std::size_t i = 0; i < 6; ++i) {
    const SpatialVector axis = i < 3 ? SpatialVector{axes.c[i], Vec3()} : SpatialVector{Vec3(), axes.c[i - 3]};
    bool free = false;
    for (std::size_t c = 0; c < at(directions.dofs); ++c) {
      free = free || dot(axis, directions.H[c]) != 0.0;
    }
    if (!free) *out++ = axis;
  }
}

/// Columns of one joint stand square to each other in [w; v / L], so each is its own row.
void block_driven(DrivenCoordinates driven, double length_m, JointSubspaces& directions) noexcept {
  std::size_t free = 0;
  for (std::size_t c = 0; c < at(directions.dofs); ++c) {
    const SpatialVector H = directions.H[c];
    if (!driven[c]) {
      directions.H[free++] = H;
      continue;
    }
    const double size2 = dot(H.angular, H.angular) + dot(H.linear, H.linear) / (length_m * length_m);
    const double scale = size2 > 0.0 ? 1.0 / std::sqrt(size2) : 0.0;
    directions.G[at(directions.rows++)] = {scale * H.angular, (scale / (length_m * length_m)) * H.linear};
  }
  directions.dofs = static_cast<int>(free);
}

}  // namespace

JointSubspaces joint_directions(const JointKind& kind, const JointMotion& joint, double length_m,
                                DrivenCoordinates driven) noexcept {
  JointSubspaces result;
  result.dofs = kind.nv;
  result.rows = 6 - kind.nv;
  for (std::size_t c = 0; c < static_cast<std::size_t>(kind.nv); ++c) result.H[c] = {joint.Hw[c], joint.Hv[c]};
  if (kind.blocked != nullptr) {
    kind.blocked(joint, length_m, result.G.data());
  } else {
    blocked_axes(result, result.G.data());
  }
  for (SpatialVector& row : result.G) row.linear = (1.0 / length_m) * row.linear;
  if (driven.any()) block_driven(driven, length_m, result);
  return result;
}

JointSubspaces directions_at_rest(const JointKind& kind, const JointParameters& parameters, double length_m,
                                  DrivenCoordinates driven) noexcept {
  std::array<double, 7> q{};
  const std::array<double, 6> v{};
  if (kind.quaternion >= 0) q[at(kind.quaternion)] = 1.0;
  JointMotion motion;
  kind.evaluate(parameters, q.data(), v.data(), motion);
  return joint_directions(kind, motion, length_m, driven);
}

bool has_constant_directions(JointType type) noexcept { return joint_kind(type).blocked == nullptr; }

}  // namespace kinloop

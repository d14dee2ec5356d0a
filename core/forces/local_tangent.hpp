// Owns LocalTangent: what acts along the speeds of single joints, as an implicit step in O(n) needs it.
#pragma once

#include <optional>
#include <span>

#include "core/base/indexed_vector.hpp"
#include "core/forces/tangent_sum.hpp"
#include "core/spatial/types.hpp"

namespace kinloop {

/// Of up to six speeds; columns are padded, so that two instructions move one.
using JointMatrix = Eigen::Matrix<double, 8, 6>;

/// Of a joint with several speeds.
struct JointBlock {
  int body = 0;
  int first = 0, speeds = 0;
  JointMatrix inertia = JointMatrix::Zero();  // g C + g^2 K of elements between bodies: first rows and columns
  bool is_full = false;                       // whether there is any: all else is on the diagonal
};

/// A step's weight g, and where its residuals stand: core/integrators/linearly_implicit.cpp.
struct ImplicitWeights {
  double g_s;
  const VectorX& r_q;
  const VectorX& r_v;
};

/// With K and C the stiffness and damping along the speeds: springs, dampers, friction and stops of joints; springs,
/// bushings, ropes and contacts between neighbours, the ground and what stands on it included. What moves such an
/// element are the speeds of the one joint between them. No K and C are formed for elements: an implicit step wants the
/// inertia g C + g^2 K and the force K r_q + (C + g K) r_v, one matrix and one product instead of two each.
class LocalTangent final : public TangentSum {
 public:
  explicit LocalTangent(const Model& model);

  /// False where an element acts between other bodies, or on a winch. Needs update_kinematics() of the same q and v.
  /// No allocation.
  bool update(const Model& model, const double* q, const double* v, const ImplicitWeights& weights,
              const Workspace& ws) noexcept;

  /// The diagonal of g C + g^2 K, along every speed; not negative.
  const VectorX& inertia() const noexcept { return inertia_; }
  /// K r_q + (C + g K) r_v.
  const VectorX& force() const noexcept { return force_; }
  /// What couples the speeds of a joint; of the diagonal they have a part only. Whoever reads them may complete them:
  /// update() begins again from nothing.
  std::span<JointBlock> blocks() noexcept { return blocks_; }

  void add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept override;
  void add_along(int speed, const JointTangent& tangent) noexcept override;

 private:
  /// To a joint of N speeds; the block is null where there is one.
  template <int N>
  void add_along_columns(const ElementTangent& element, int first, const Vec3& arm, const Workspace& ws,
                         JointBlock* block) noexcept;

  bool is_local_ = true;
  const ImplicitWeights* weights_ = nullptr;  // during update()
  VectorX inertia_, force_;
  IndexedVector<JointBlock> blocks_;
  IndexedVector<int> block_of_;  // body -> place among the blocks, or -1
};

/// An element between bodies that are no neighbours, or on a winch.
struct FarElement {
  int body_a = 0, body_b = 0;
  bool is_one_sided = false;  // a contact or rope: only where it acts
};
/// The first of them; what acts on one side only counts as if it acted. Needs update_kinematics() of the same q and v.
std::optional<FarElement> far_element(const Model& model, const double* q, const double* v, const Workspace& ws);

/// The body whose inboard joint is all that lies between a and b; -1: there is more or less.
int body_between(const Model& model, int a, int b) noexcept;

}  // namespace kinloop

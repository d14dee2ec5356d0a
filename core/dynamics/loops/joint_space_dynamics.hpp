// Owns JointSpaceDynamics: a formulation that builds the joint-space inertia, then solves in joint space.
#pragma once

#include <memory>
#include <string_view>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/loops/joint_space.hpp"

namespace kinloop {

/// How a formulation comes to M and h.
class InertiaBuilder {
 public:
  InertiaBuilder() = default;
  InertiaBuilder(const InertiaBuilder&) = delete;
  InertiaBuilder& operator=(const InertiaBuilder&) = delete;
  virtual ~InertiaBuilder() = default;

  /// Writes M (lower triangle along the tree) and h of the joint space. No allocation.
  virtual void build(const Model& model, const Workspace& ws, JointSpace& space) noexcept = 0;
};

class JointSpaceDynamics final : public Dynamics {
 public:
  /// The name must outlive it.
  JointSpaceDynamics(std::string_view name, const Model& model, std::unique_ptr<InertiaBuilder> builder)
      : name_(name), space_(model), builder_(std::move(builder)) {}

  std::string_view name() const noexcept override { return name_; }

  void freeze_basis() noexcept override { space_.freeze_basis(); }
  void release_basis() noexcept override { space_.release_basis(); }
  void project(const ConstraintTarget& motion, VectorX& step) noexcept override { space_.project(motion, step); }
  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    space_.refine(tau, gap, change);
  }
  bool is_singular() const noexcept override { return space_.is_singular(); }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override;

 private:
  std::string_view name_;
  JointSpace space_;
  std::unique_ptr<InertiaBuilder> builder_;
};

}  // namespace kinloop

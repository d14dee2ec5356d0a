// Owns TangentSum: what receives the stiffness and damping of force elements, element by element.
#pragma once

#include "core/forces/element_tangent.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

class TangentSum {
 public:
  TangentSum() = default;
  TangentSum(const TangentSum&) = default;
  TangentSum& operator=(const TangentSum&) = default;

  /// What acts between two bodies. No allocation on the real-time path.
  virtual void add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept = 0;
  /// What acts along a speed.
  virtual void add_along(int speed, const JointTangent& tangent) noexcept = 0;

 protected:
  ~TangentSum() = default;
};

/// Passes on what acts between bodies, whose direction turns with them.
class ElementsOnly final : public TangentSum {
 public:
  explicit ElementsOnly(TangentSum& sum) noexcept : sum_(sum) {}

  void add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept override {
    sum_.add(model, element, ws);
  }
  void add_along(int /*speed*/, const JointTangent& /*tangent*/) noexcept override {}

 private:
  TangentSum& sum_;
};

}  // namespace kinloop

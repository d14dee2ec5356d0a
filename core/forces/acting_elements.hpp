// Owns ActingElements: which one-sided elements act in a state.
#pragma once

#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// End stops that push, contacts that touch, ropes that are taut.
class ActingElements {
 public:
  explicit ActingElements(const Model& model);

  /// Overwrites the positions of the workspace where elements need them. No allocation.
  void update(const Model& model, const double* q, const double* v, Workspace& ws) noexcept;

  bool operator==(const ActingElements& other) const noexcept { return acts_ == other.acts_; }

 private:
  std::vector<char> acts_;
  bool by_places_ = false;
};

}  // namespace kinloop

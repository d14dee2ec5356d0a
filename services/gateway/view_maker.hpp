// Owns ViewMaker: pictures from motions, with a copy of the mechanism of its own.
#pragma once

#include <kinloop/v1/frames.pb.h>
#include <kinloop/v1/panel.pb.h>

#include <memory>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/reactions/reaction_sweep.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::gateway {

class ViewMaker {
 public:
  /// The rig must outlive it.
  explicit ViewMaker(const LoadedRig& rig);

  /// All but samples and arrows. False where the motion is none of this rig.
  bool make(const v1::Motion& motion, v1::View& view);
  /// What acts, at the motion of the last make(). Takes some time.
  void add_arrows(const v1::Motion& motion, v1::View& view);

 private:
  void add_actuators(const v1::Motion& motion, v1::View& view) const;
  void add_reactions(v1::View& view);
  void add_contacts(v1::View& view) const;
  void add_lines(v1::View& view) const;

  const LoadedRig& rig_;
  const Model& model_;
  std::unique_ptr<Dynamics> dynamics_;  // null where there is none for it
  std::vector<int> speeds_;             // that actuators act along
  Workspace ws_;
  Loads loads_;
  ReactionSweep reactions_;
  VectorX q_, v_;
};

}  // namespace kinloop::gateway

// Owns the planar loops of four dofs: four-bars, slider-cranks, quick-returns and double sliders, found in a model.
//
// What counts is the geometry, not names, places or the order of a file: joints that turn have parallel axes, joints
// that slide do so square to them, judged on every link between two joints and so true in all configurations. Any of
// the joints may be the closing one, any body the base.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/model/model.hpp"
#include "core/topology/dyad.hpp"

namespace kinloop {

enum class PlanarLinkage {
  kFourBar,
  kSliderCrank,   // one slide, and the link nearest to the ground is one of its two
  kQuickReturn,   // one slide between links that both move: hydraulic cylinders too
  kDoubleSlider,  // two slides: Scotch yoke, trammel
};

/// "four-bar", "slider-crank", "quick-return", "double slider".
std::string_view name_of(PlanarLinkage linkage) noexcept;

/// A coordinate that takes part in planar loops.
struct LoopVariable {
  int q = -1;        // index into q, or -1 for a coordinate of a closing joint
  int speed = -1;    // likewise into v
  int closing = -1;  // the closing joint, or -1
  PlanarDof dof = PlanarDof::kTurn;
};

/// A joint as its loop passes it.
struct PlanarJoint {
  int variable = 0;
  PlanarDof dof = PlanarDof::kTurn;
  double sign = 1.0;  // -1: the coordinate counts against the path of the loop
  PlanarPose link;    // from behind this joint to before the next
};

struct PlanarLoop {
  int closing = 0;  // index into Model::loops()
  PlanarLinkage linkage = PlanarLinkage::kFourBar;
  std::array<PlanarJoint, 4> joints;
  double size_m = 0.0;  // longest way between two joints of one link
};

/// For start-up: making it allocates.
struct PlanarLoops {
  explicit PlanarLoops(const Model& model);

  IndexedVector<PlanarLoop> loops;  // none passes closing joints other than its own and those of loops before it
  IndexedVector<LoopVariable> variables;

  /// Empty where the closing joint closes no such loop.
  std::optional<PlanarLinkage> linkage_of(int closing) const noexcept;
};

}  // namespace kinloop

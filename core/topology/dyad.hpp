// Owns the dyad: two links between given places, joined by three joints, in closed form.
//
// A planar loop of four joints, one of them given, leaves three joints and the two links between them. Their places
// follow from a triangle (paper 001, section 4 and (39)-(41); a slide is a hinge infinitely far away): circle and
// circle for three hinges, circle and line for two hinges and a slide, line and line for one hinge and two slides.
#pragma once

#include <array>

#include "core/spatial/planar.hpp"

namespace kinloop {

/// What a joint of a plane does: it turns, or it slides along the x axis of its frame.
enum class PlanarDof { kTurn, kSlide };

struct Dyad {
  std::array<PlanarDof, 3> joints{};
  PlanarPose link1, link2;  // from behind a joint to before the next
  PlanarPose whole;         // from before the first joint to behind the last
  double size_m = 0.0;      // of the mechanism: what lengths are compared with
};

enum class DyadStatus {
  kSolved,
  kApart,  // the circles or lines do not meet
  kFlat,   // they meet at so small an angle that the place is uncertain: a dead centre, or near one
};

struct DyadSolution {
  DyadStatus status = DyadStatus::kFlat;
  std::array<double, 3> places{};  // of the joints, in the order of the chain; angles up to whole turns
};

/// Of the two solutions the one on the branch of the configuration in which the middle joint stands at `middle_now`.
/// What is not finite comes out as kFlat. No allocation.
DyadSolution solve_dyad(const Dyad& dyad, double middle_now) noexcept;

}  // namespace kinloop

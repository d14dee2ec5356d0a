// Closed forms of planar dyads: one function per kind of triangle.
//
//   paper 001, sec. 6    here
//   l_2, l_3             r1, r2: lengths of the links
//   r_lower of (39)      w: from the first joint to the last, known
//   alpha_3              the middle joint: first to be found, the other two follow
//
// Angles: phi1, phi2, phi3 of the joints that turn; a1, a2 fixed in the links; omega of the whole chain.
#include "core/topology/dyad.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {
namespace {

/// The sine of the angle at which two curves meet; below it the fall-back is more accurate than the intersection.
constexpr double kFlat = 1e-2;
/// A link shorter than this share of the mechanism has no direction.
constexpr double kNoLength = 1e-6;

DyadSolution solved(double first, double middle, double last) noexcept {
  const bool finite = std::isfinite(first) && std::isfinite(middle) && std::isfinite(last);
  return {finite ? DyadStatus::kSolved : DyadStatus::kFlat, {first, middle, last}};
}

/// Half of the chord that a line at a distance cuts out of a circle; the sign says on which side of the foot point.
struct Chord {
  DyadStatus status;
  double half = 0.0;
};

Chord chord(double radius, double distance, double side) noexcept {
  const double square = (radius - distance) * (radius + distance);
  if (square < 0.0) return {DyadStatus::kApart};
  const double half = std::sqrt(square);
  if (!(half > kFlat * radius)) return {DyadStatus::kFlat};
  return {DyadStatus::kSolved, side < 0.0 ? -half : half};
}

/// w = e(phi1) (d1 + e(a1 + phi2) d2): circle and circle, (39)-(41).
DyadSolution turn_turn_turn(const Dyad& g, double middle_now) noexcept {
  const double r1 = length(g.link1.p);
  const double r2 = length(g.link2.p);
  const double w = length(g.whole.p);
  if (!(std::min(r1, r2) > kNoLength * g.size_m)) return {};
  const double to_stretched = r1 + r2 - w;
  const double to_folded = w - std::abs(r1 - r2);
  if (to_stretched < 0.0 || to_folded < 0.0) return {DyadStatus::kApart, {}};
  // (40) with half the angle: 1 - cos psi and 1 + cos psi as products, which keep their digits where psi is small.
  const double less = std::sqrt(to_stretched * (r1 + r2 + w));
  const double more = std::sqrt(to_folded * (w + std::abs(r1 - r2)));
  if (!(less * more > kFlat * 2.0 * r1 * r2)) return {};
  const double straight = heading(g.link1.p) - g.link1.angle_rad - heading(g.link2.p);  // phi2 at psi = 0
  const double psi = std::copysign(2.0 * std::atan2(less, more), std::sin(middle_now - straight));
  const double phi2 = straight + psi;
  const Vec2 reach = g.link1.p + rotated(g.link1.angle_rad + phi2, g.link2.p);
  const double phi1 = heading(g.whole.p) - heading(reach);
  return solved(phi1, phi2, g.whole.angle_rad - phi1 - g.link1.angle_rad - phi2 - g.link2.angle_rad);
}

/// w = e(phi1 + a1) (k + t2 ex), k = e(-a1) d1 + d2: a circle about the first joint and the line of the slide.
DyadSolution turn_slide_turn(const Dyad& g, double middle_now) noexcept {
  const Vec2 k = rotated(-g.link1.angle_rad, g.link1.p) + g.link2.p;
  const double w = length(g.whole.p);
  if (!(w > kNoLength * g.size_m)) return {};
  const Chord found = chord(w, k.y, k.x + middle_now);
  if (found.status != DyadStatus::kSolved) return {found.status, {}};
  const double phi1 = heading(g.whole.p) - g.link1.angle_rad - heading({found.half, k.y});
  return solved(phi1, found.half - k.x, g.whole.angle_rad - phi1 - g.link1.angle_rad - g.link2.angle_rad);
}

/// w = (d1 + t1 ex) + e(a1 + phi2) d2: the line of the slide and a circle about the last joint.
DyadSolution slide_turn_turn(const Dyad& g, double middle_now) noexcept {
  const double r2 = length(g.link2.p);
  if (!(r2 > kNoLength * g.size_m)) return {};
  const Vec2 m = g.whole.p - g.link1.p;
  const double own = g.link1.angle_rad + heading(g.link2.p);
  const Chord found = chord(r2, m.y, std::cos(middle_now + own));
  if (found.status != DyadStatus::kSolved) return {found.status, {}};
  const double phi2 = heading({found.half, m.y}) - own;
  return solved(m.x - found.half, phi2, g.whole.angle_rad - g.link1.angle_rad - phi2 - g.link2.angle_rad);
}

/// e(-omega) w = e(phi1 - omega) d1 + e(-a2) d2 + t3 ex: the same, seen from the other end.
DyadSolution turn_turn_slide(const Dyad& g, double middle_now) noexcept {
  const double r1 = length(g.link1.p);
  if (!(r1 > kNoLength * g.size_m)) return {};
  const Vec2 m = rotated(-g.whole.angle_rad, g.whole.p) - rotated(-g.link2.angle_rad, g.link2.p);
  const double inner = g.link1.angle_rad + g.link2.angle_rad;
  const Chord found = chord(r1, m.y, std::cos(heading(g.link1.p) - inner - middle_now));
  if (found.status != DyadStatus::kSolved) return {found.status, {}};
  const double phi1 = g.whole.angle_rad + heading({found.half, m.y}) - heading(g.link1.p);
  return solved(phi1, g.whole.angle_rad - phi1 - inner, m.x - found.half);
}

/// Distances along two lines, x and one at an angle to it, that add up to `sum`.
struct Crossing {
  DyadStatus status;
  double along_x = 0.0, along_other = 0.0;
};

Crossing crossing(const Vec2& sum, double angle_rad) noexcept {
  const double sine = std::sin(angle_rad);
  if (!(std::abs(sine) > kFlat)) return {DyadStatus::kFlat};
  const double other = sum.y / sine;
  return {DyadStatus::kSolved, sum.x - other * std::cos(angle_rad), other};
}

/// The one hinge follows from the angles alone; then the slides' lines meet in one point.
DyadSolution slide_slide_turn(const Dyad& g) noexcept {
  const Vec2 sum = g.whole.p - g.link1.p - rotated(g.link1.angle_rad, g.link2.p);
  const Crossing found = crossing(sum, g.link1.angle_rad);
  if (found.status != DyadStatus::kSolved) return {found.status, {}};
  return solved(found.along_x, found.along_other, g.whole.angle_rad - g.link1.angle_rad - g.link2.angle_rad);
}

DyadSolution slide_turn_slide(const Dyad& g) noexcept {
  const double phi2 = g.whole.angle_rad - g.link1.angle_rad - g.link2.angle_rad;
  const Vec2 sum = g.whole.p - g.link1.p - rotated(g.link1.angle_rad + phi2, g.link2.p);
  const Crossing found = crossing(sum, g.whole.angle_rad);
  if (found.status != DyadStatus::kSolved) return {found.status, {}};
  return solved(found.along_x, phi2, found.along_other);
}

DyadSolution turn_slide_slide(const Dyad& g) noexcept {
  const double phi1 = g.whole.angle_rad - g.link1.angle_rad - g.link2.angle_rad;
  // Seen in the axes of the first slide.
  const Vec2 sum = rotated(-phi1 - g.link1.angle_rad, g.whole.p) - rotated(-g.link1.angle_rad, g.link1.p) - g.link2.p;
  const Crossing found = crossing(sum, g.link2.angle_rad);
  if (found.status != DyadStatus::kSolved) return {found.status, {}};
  return solved(phi1, found.along_x, found.along_other);
}

}  // namespace

DyadSolution solve_dyad(const Dyad& dyad, double middle_now) noexcept {
  const bool turns1 = dyad.joints[0] == PlanarDof::kTurn;
  const bool turns2 = dyad.joints[1] == PlanarDof::kTurn;
  const bool turns3 = dyad.joints[2] == PlanarDof::kTurn;
  if (turns1 && turns2 && turns3) return turn_turn_turn(dyad, middle_now);
  if (turns1 && turns3) return turn_slide_turn(dyad, middle_now);
  if (turns2 && turns3) return slide_turn_turn(dyad, middle_now);
  if (turns1 && turns2) return turn_turn_slide(dyad, middle_now);
  if (turns3) return slide_slide_turn(dyad);
  if (turns2) return slide_turn_slide(dyad);
  if (turns1) return turn_slide_slide(dyad);
  return {};  // three slides: in a plane one of them is free
}

}  // namespace kinloop

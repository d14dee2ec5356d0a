// From what lies behind to what lies in front: shapes, sticks, springs, joints.
#include "services/plot/figure.hpp"

#include <numbers>

#include "services/plot/hull.hpp"

namespace kinloop::plot {
namespace {

constexpr double kVisibleGap = 1.5;  // pixels between the two frames of a loop joint that ought to coincide
constexpr int kBallPoints = 32;
constexpr Colour kWarning{0.80, 0.15, 0.10};

bool slides(JointType type) { return joint_kind(type).slides_along >= 0; }
/// One that leaves a body free to go anywhere on the ground has no stand there.
bool stands_on_ground(const SkeletonJoint& joint) {
  const JointKind& kind = joint_kind(joint.type);
  if (!kind.holds_point && kind.nv >= 3) return false;
  return joint.predecessor == 0 || joint.successor == 0;
}

/// The direction in which a joint slides, on the canvas, one long; zero where it is seen end-on or does not slide.
Point slide_direction(const SkeletonJoint& joint, const Posture& posture, const Placement& place) {
  const int axis = joint_kind(joint.type).slides_along;
  if (axis < 0) return {};
  const Matrix3 R_WA = posture[static_cast<std::size_t>(joint.predecessor)].R * joint.X_PA.R;
  const Point along = place.direction(R_WA.col(axis));
  return length(along) < 0.05 * place.pixels_per_metre ? Point{} : unit(along, {});
}

Point predecessor_point(const SkeletonJoint& joint, const Posture& posture, const Placement& place) {
  return place(at(posture, joint.predecessor, joint.X_PA.p));
}
Point successor_point(const SkeletonJoint& joint, const Posture& posture, const Placement& place) {
  return place(at(posture, joint.successor, joint.X_SB.p));
}

void draw_body(const std::vector<Vector3>& points, const Pose& pose, const Placement& place, const FigureStyle& style,
               Canvas& canvas) {
  std::vector<Point> corners;
  corners.reserve(points.size());
  for (const Vector3& p : points) corners.push_back(place(pose.p + pose.R * p));
  const std::vector<Point> hull = convex_hull(std::move(corners), 0.8 * style.line_width);
  const Stroke line{style.colour, style.line_width};
  if (hull.size() == 2) draw_segment(canvas, hull[0], hull[1], line);
  if (hull.size() > 2) canvas.polygon(hull, {with_opacity(style.colour, 0.12), line});
}

void draw_guides(const SkeletonJoint& joint, const Posture& posture, const Placement& place, const FigureStyle& style,
                 Canvas& canvas) {
  const Point a = predecessor_point(joint, posture, place);
  const Point b = successor_point(joint, posture, place);
  const Stroke guide{mixed(kWhite, style.colour, 0.6), std::max(0.8, 0.5 * style.line_width)};
  const bool has_rail = joint.predecessor == 0 || joint.successor == 0;
  if (slides(joint.type) && !has_rail && length(b - a) > style.mark) draw_segment(canvas, a, b, guide);
  if (joint.closes_loop && joint_kind(joint.type).holds_point && length(b - a) > kVisibleGap) {
    draw_segment(canvas, a, b, {kWarning, 1.4, Dash::kDashed});
    draw_joint(joint_kind(joint.type).mark, a, {}, style, canvas);
  }
  std::vector<Point> profile;
  profile.reserve(joint.profile.size());
  for (const Vector3& p : joint.profile) {
    profile.push_back(place(at(posture, joint.predecessor, joint.X_PA.p + joint.X_PA.R * p)));
  }
  if (!profile.empty()) canvas.polygon(profile, {with_opacity(style.colour, 0.08), guide});
}

std::vector<Point> outline_of(const SkeletonShape& shape, const Posture& posture, const Placement& place) {
  // The outline of a ball; isometric drawings are larger than what they project, and so must be the balls.
  const double radius = shape.radius * place.pixels_per_metre * place.view.right.norm();
  std::vector<Point> points;
  for (const Vector3& p : shape.points) {
    const Point centre = place(at(posture, shape.body, p));
    if (shape.radius == 0.0) {
      points.push_back(centre);
      continue;
    }
    for (int i = 0; i < kBallPoints; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / kBallPoints;
      points.push_back(centre + radius * Point{std::cos(angle), std::sin(angle)});
    }
  }
  return convex_hull(std::move(points), 0.0);
}

/// What of a joint moves against the ground is drawn with its sign: frame A where B is on the ground.
Point point_of_sign(const SkeletonJoint& joint, const Posture& posture, const Placement& place) {
  return joint.successor == 0 ? predecessor_point(joint, posture, place) : successor_point(joint, posture, place);
}

/// Up or down: away from where the body goes.
Point away_from_body(const SkeletonJoint& joint, const Skeleton& skeleton, std::span<const Posture> postures,
                     const Placement& place) {
  const int body = joint.predecessor == 0 ? joint.successor : joint.predecessor;
  Point sum;
  for (const Posture& posture : postures) {
    const Point base =
        joint.predecessor == 0 ? predecessor_point(joint, posture, place) : successor_point(joint, posture, place);
    for (const Vector3& p : skeleton.sticks[static_cast<std::size_t>(body)]) {
      sum = sum + unit(place(at(posture, body, p)) - base, {});
    }
  }
  return sum.y > 0.5 * std::abs(sum.x) && sum.y > 0.0 ? Point{0.0, -1.0} : Point{0.0, 1.0};
}

void draw_rail(const SkeletonJoint& joint, std::span<const Posture> postures, const Placement& place, Point along,
               const FigureStyle& style, Canvas& canvas) {
  // The hatched side is below, or right of an upright rail.
  Point side = quarter_turn(along);
  if (side.y < -0.1 || (std::abs(side.y) <= 0.1 && side.x < 0.0)) side = -1.0 * side;
  const Point base = point_of_sign(joint, postures.front(), place);
  Range reach;
  for (const Posture& posture : postures) {
    const Point moved = point_of_sign(joint, posture, place) - base;
    reach.add(moved.x * along.x + moved.y * along.y);
  }
  const double margin = 4.0 * style.mark;
  const Point offset = 1.15 * style.mark * side;
  draw_ground_edge(base + (reach.least - margin) * along + offset, base + (reach.most + margin) * along + offset, side,
                   style, canvas);
}

}  // namespace

void draw_shapes(const Skeleton& skeleton, const Posture& posture, const Placement& place, Canvas& canvas) {
  for (const SkeletonShape& shape : skeleton.shapes) {
    const Colour colour{shape.colour[0], shape.colour[1], shape.colour[2]};
    const Colour edge = mixed(colour, kSoftInk, 0.5);
    const std::vector<Point> outline = outline_of(shape, posture, place);
    if (outline.size() < 3) continue;
    canvas.polygon(outline, {with_opacity(colour, 0.18), Stroke{with_opacity(edge, 0.55), 0.8}});
  }
}

void draw_figure(const Skeleton& skeleton, const Posture& posture, const Placement& place, const FigureStyle& style,
                 Canvas& canvas) {
  for (std::size_t k = 1; k < skeleton.sticks.size(); ++k) {
    draw_body(skeleton.sticks[k], posture[k], place, style, canvas);
  }
  for (const SkeletonSpring& spring : skeleton.springs) {
    const Point a = place(at(posture, spring.body_a, spring.point_a));
    const Point b = place(at(posture, spring.body_b, spring.point_b));
    if (spring.is_elastic) draw_spring(a, b, style, canvas);
    if (!spring.is_elastic) draw_damper(a, b, style, canvas);
  }
  for (const SkeletonRope& rope : skeleton.ropes) {
    draw_segment(canvas, place(at(posture, rope.body_a, rope.point_a)), place(at(posture, rope.body_b, rope.point_b)),
                 {style.colour, std::max(0.8, 0.5 * style.line_width)});
  }
  for (const SkeletonJoint& joint : skeleton.joints) draw_guides(joint, posture, place, style, canvas);
  for (const BodyPoint& mass : skeleton.mass_points)
    draw_mass(place(at(posture, mass.body, mass.point)), style, canvas);
  for (const BodyPoint& bushing : skeleton.bushings) {
    draw_bushing(place(at(posture, bushing.body, bushing.point)), style, canvas);
  }
  // Sliders first: a pin on a slider is seen.
  for (const bool sliders : {true, false}) {
    for (const SkeletonJoint& joint : skeleton.joints) {
      if (slides(joint.type) != sliders) continue;
      draw_joint(joint_kind(joint.type).mark, point_of_sign(joint, posture, place),
                 slide_direction(joint, posture, place), style, canvas);
    }
  }
}

void draw_ground(const Skeleton& skeleton, std::span<const Posture> postures, const Placement& place,
                 const FigureStyle& style, Canvas& canvas) {
  if (postures.empty()) return;
  const Posture& last = postures.back();
  for (const SkeletonJoint& joint : skeleton.joints) {
    if (!stands_on_ground(joint)) continue;
    const Point along = slide_direction(joint, last, place);
    if (length(along) > 0.0) {
      draw_rail(joint, postures, place, along, style, canvas);
      continue;
    }
    const Point base =
        joint.predecessor == 0 ? predecessor_point(joint, last, place) : successor_point(joint, last, place);
    draw_stand(base, away_from_body(joint, skeleton, postures, place), style, canvas);
  }
  for (const SkeletonSpring& spring : skeleton.springs) {
    if (spring.body_a != 0 && spring.body_b != 0) continue;
    const Point a = place(at(last, spring.body_a, spring.point_a));
    const Point b = place(at(last, spring.body_b, spring.point_b));
    const Point wall = spring.body_a == 0 ? a : b;
    const Point inwards = unit(spring.body_a == 0 ? a - b : b - a, {0.0, 1.0});
    const Point half = 2.7 * style.mark * quarter_turn(inwards);
    draw_ground_edge(wall - half, wall + half, inwards, style, canvas);
  }
}

}  // namespace kinloop::plot

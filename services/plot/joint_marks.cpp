// Signs after ISO 3952, kept simple.
#include "services/plot/joint_marks.hpp"

#include <array>

namespace kinloop::plot {
namespace {

constexpr double kThin = 0.65;  // width of a sign's outline, of a stick's

struct Box {
  std::array<Point, 4> corners;
};

Box box_around(Point at, Point along, double half_length, double half_width) {
  const Point a = half_length * along;
  const Point b = half_width * quarter_turn(along);
  return {{at + a + b, at + a - b, at - a - b, at - a + b}};
}

Stroke thin(const FigureStyle& style) { return {style.colour, std::max(0.8, kThin * style.line_width)}; }
Paint open_sign(const FigureStyle& style) { return {kWhite, thin(style)}; }

void draw_cross(Point at, double size, const FigureStyle& style, Canvas& canvas) {
  const double s = 0.7 * size;
  draw_segment(canvas, {at.x - s, at.y - s}, {at.x + s, at.y + s}, thin(style));
  draw_segment(canvas, {at.x - s, at.y + s}, {at.x + s, at.y - s}, thin(style));
}

/// A box that slides, square where it is seen end-on.
Box slider(Point at, Point along, double size) {
  const bool is_end_on = length(along) < 1e-6;
  return box_around(at, unit(along, {1.0, 0.0}), (is_end_on ? 1.15 : 1.8) * size, 1.15 * size);
}

}  // namespace

void draw_joint(JointMark mark, Point at, Point along, const FigureStyle& style, Canvas& canvas) {
  const double r = style.mark;
  switch (mark) {
    case JointMark::kNothing:
      break;
    case JointMark::kBlock:
      canvas.polygon(box_around(at, {1.0, 0.0}, 0.7 * r, 0.7 * r).corners, {style.colour, {}});
      break;
    case JointMark::kRing:
      canvas.circle(at, r, open_sign(style));
      break;
    case JointMark::kBall:
      canvas.circle(at, r, {style.colour, Stroke{kWhite, 1.0}});
      break;
    case JointMark::kCrossedRing:
      canvas.circle(at, r, open_sign(style));
      draw_cross(at, r, style, canvas);
      break;
    case JointMark::kSlider:
      canvas.polygon(slider(at, along, r).corners, open_sign(style));
      break;
    case JointMark::kRoundSlider:
      canvas.polygon(slider(at, along, r).corners, open_sign(style));
      canvas.circle(at, 0.6 * r, {{}, thin(style)});
      break;
    case JointMark::kThreadedSlider: {
      const Box box = slider(at, along, r);
      canvas.polygon(box.corners, open_sign(style));
      draw_segment(canvas, box.corners[0], box.corners[2], thin(style));
      break;
    }
    case JointMark::kPlate:
      canvas.polygon(box_around(at, {0.70710678, 0.70710678}, 1.1 * r, 1.1 * r).corners, open_sign(style));
      break;
    case JointMark::kSlot:
      canvas.polygon(box_around(at, unit(along, {1.0, 0.0}), 2.6 * r, 1.35 * r).corners, open_sign(style));
      canvas.circle(at, 0.9 * r, open_sign(style));
      break;
    case JointMark::kRoller:
      canvas.circle(at, r, open_sign(style));
      canvas.circle(at, 0.35 * r, {style.colour, {}});
      break;
  }
}

void draw_spring(Point a, Point b, const FigureStyle& style, Canvas& canvas) {
  const double total = length(b - a);
  const Point along = unit(b - a, {1.0, 0.0});
  const Point across = quarter_turn(along);
  const double half_width = 1.1 * style.mark;
  const double end = std::min(2.0 * style.mark, 0.2 * total);
  constexpr int kTeeth = 9;
  Line line = {a};
  // Long springs keep their coil short in the middle: a stay should not look like a mattress.
  const double coil = std::min(total - 2.0 * end, 14.0 * style.mark);
  const double lead = 0.5 * (total - coil);
  line.push_back(a + lead * along);
  for (int i = 0; i < kTeeth; ++i) {
    const double share = (i + 0.5) / kTeeth;
    line.push_back(a + (lead + share * coil) * along + (i % 2 == 0 ? half_width : -half_width) * across);
  }
  line.push_back(b - lead * along);
  line.push_back(b);
  canvas.polyline(line, thin(style));
}

void draw_damper(Point a, Point b, const FigureStyle& style, Canvas& canvas) {
  const double total = length(b - a);
  const Point along = unit(b - a, {1.0, 0.0});
  const Point across = quarter_turn(along);
  const double half_width = 1.1 * style.mark;
  const double half_length = std::min(3.0 * style.mark, 0.3 * total);
  const Point middle = a + 0.5 * (b - a);
  const Point closed = middle - half_length * along;
  const Point open = middle + half_length * along;
  const Line pot = {open + half_width * across, closed + half_width * across, closed - half_width * across,
                    open - half_width * across};
  const Point piston = middle + 0.2 * half_length * along;
  draw_segment(canvas, a, closed, thin(style));
  canvas.polyline(pot, thin(style));
  draw_segment(canvas, piston, b, thin(style));
  draw_segment(canvas, piston + 0.75 * half_width * across, piston - 0.75 * half_width * across, thin(style));
}

void draw_bushing(Point at, const FigureStyle& style, Canvas& canvas) {
  canvas.circle(at, 1.3 * style.mark, {mixed(kWhite, style.colour, 0.3), thin(style)});
  canvas.circle(at, 0.5 * style.mark, open_sign(style));
}

void draw_mass(Point at, const FigureStyle& style, Canvas& canvas) {
  canvas.circle(at, 0.75 * style.mark, {style.colour, {}});
}

void draw_ground_edge(Point a, Point b, Point towards_ground, const FigureStyle& style, Canvas& canvas) {
  const Stroke edge{kSoftInk, thin(style).width};
  draw_segment(canvas, a, b, edge);
  const double depth = 1.1 * style.mark;
  const Point along = unit(b - a, {1.0, 0.0});
  const double total = length(b - a);
  const int lines = std::clamp(static_cast<int>(total / (0.85 * style.mark)), 4, 60);
  Line hatch;
  for (int i = 1; i <= lines; ++i) {
    const Point start = a + (total * i / lines) * along;
    hatch.push_back(start);
    hatch.push_back(start + depth * (towards_ground - 0.9 * along));
    hatch.push_back(kGap);
  }
  canvas.polyline(hatch, {kSoftInk, std::max(0.7, 0.4 * style.line_width)});
}

void draw_stand(Point at, Point towards_ground, const FigureStyle& style, Canvas& canvas) {
  const double r = style.mark;
  const Point across = quarter_turn(towards_ground);
  const Point foot = at + 2.6 * r * towards_ground;
  const std::array<Point, 3> stand = {at, foot + 1.7 * r * across, foot - 1.7 * r * across};
  canvas.polygon(stand, {kWhite, Stroke{kSoftInk, thin(style).width}});
  draw_ground_edge(foot - 2.7 * r * across, foot + 2.7 * r * across, towards_ground, style, canvas);
}

}  // namespace kinloop::plot

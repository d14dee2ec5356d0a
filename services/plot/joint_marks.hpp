// Owns the signs of mechanism drawings: joints by their marks, springs, the ground.
#pragma once

#include "core/joints/joint.hpp"
#include "services/plot/canvas.hpp"

namespace kinloop::plot {

/// How strongly a figure is drawn.
struct FigureStyle {
  Colour colour = kInk;
  double line_width = 2.2;
  double mark = 5.0;  // radius of a revolute joint
};

/// A joint at `at`, whose axis (or slot) has the direction `along` on the canvas: zero if it is seen end-on.
void draw_joint(JointMark mark, Point at, Point along, const FigureStyle& style, Canvas& canvas);

/// A zig-zag of constant width, whatever its length.
void draw_spring(Point a, Point b, const FigureStyle& style, Canvas& canvas);
/// A cylinder with a piston in it: a damper, or a constant force.
void draw_damper(Point a, Point b, const FigureStyle& style, Canvas& canvas);
void draw_bushing(Point at, const FigureStyle& style, Canvas& canvas);
void draw_mass(Point at, const FigureStyle& style, Canvas& canvas);

/// A stand that holds a joint; `towards_ground` is one long.
void draw_stand(Point at, Point towards_ground, const FigureStyle& style, Canvas& canvas);
/// The hatched edge of the ground from a to b; `towards_ground` is one long and says on which side it lies.
void draw_ground_edge(Point a, Point b, Point towards_ground, const FigureStyle& style, Canvas& canvas);

}  // namespace kinloop::plot

// Owns a pair of axes: where data lands on the canvas, and the lines and numbers around it.
#pragma once

#include <string>

#include "services/plot/canvas.hpp"
#include "services/plot/ticks.hpp"

namespace kinloop::plot {

inline constexpr double kTickTextSize = 11.5;
inline constexpr double kLabelTextSize = 13.0;

struct Axis {
  Range range;
  Ticks ticks;
  std::string label;
};

/// The x axis with as many ticks as the width has room for, the y axis likewise.
Axis horizontal_axis(Range range, std::string label, double width);
Axis vertical_axis(Range range, std::string label, double height);

/// What lies left of the frame: numbers, the label, and the room between.
double room_left_of(const Axis& y, Canvas& canvas);
/// What lies below the frame.
double room_below(const Axis& x);

/// Data to canvas.
struct Axes {
  Rectangle frame;
  Range x, y;

  Point operator()(Point data) const noexcept {
    return {frame.left + (data.x - x.least) / x.span() * frame.width,
            frame.bottom() - (data.y - y.least) / y.span() * frame.height};
  }
  Line operator()(const Line& data) const {
    Line line;
    line.reserve(data.size());
    for (const Point& p : data) line.push_back((*this)(p));
    return line;
  }
};

enum class XNumbers { kShown, kHidden };

/// Grid, axes, numbers and labels; `label_x` is where the middle of the turned y label stands.
void draw_axes(const Rectangle& frame, const Axis& x, const Axis& y, double label_x, XNumbers x_numbers,
               Canvas& canvas);

}  // namespace kinloop::plot

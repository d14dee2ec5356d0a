// Owns the marks of a timing chart: what is named above a frame, and in which row, so that nothing is covered.
#pragma once

#include <string>
#include <vector>

#include "services/plot/canvas.hpp"

namespace kinloop::timing {

inline constexpr double kMarkTextSize = 12.0;
inline constexpr double kMarkRow = 16.0;

/// A line through the frame, its name to the right of its upper end.
struct Mark {
  double x = 0.0;  // on the canvas
  std::string name;
  plot::Stroke stroke;
  int row = 0;  // 0 is just above the frame
};

/// Sorted; marks that fall on one another share a line and its stroke, the last one's; rows so that no line runs
/// through a name.
std::vector<Mark> arranged(std::vector<Mark> marks, plot::Canvas& canvas);

/// What `arranged` marks need above their frame.
double height_of(const std::vector<Mark>& marks);

void draw_marks(const std::vector<Mark>& marks, const plot::Rectangle& frame, plot::Canvas& canvas);

}  // namespace kinloop::timing

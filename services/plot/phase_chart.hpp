// Owns the chart of one quantity over another.
#pragma once

#include <string>

#include "services/plot/cairo_canvas.hpp"

namespace kinloop::plot {

struct PhaseChart {
  std::string title;
  std::string x_label, y_label;
  Line line;  // data, in the order of time
};

inline constexpr ImageSize kPhaseSize{560.0, 460.0};

void draw(const PhaseChart& chart, ImageSize size, Canvas& canvas);

}  // namespace kinloop::plot

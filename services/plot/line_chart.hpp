// Owns the chart of courses over time: one panel a quantity, stacked over one time axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/plot/cairo_canvas.hpp"

namespace kinloop::plot {

struct Series {
  std::string name;
  Line line;  // data
};

struct Panel {
  std::string label;  // "angle (rad)"
  std::vector<Series> series;
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::vector<Panel> panels;
};

ImageSize natural_size(const LineChart& chart);
void draw(const LineChart& chart, ImageSize size, Canvas& canvas);

}  // namespace kinloop::plot

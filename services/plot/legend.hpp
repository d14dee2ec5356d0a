// Owns legends: a column of names beside a picture, never on it.
#pragma once

#include <string>
#include <vector>

#include "services/plot/canvas.hpp"

namespace kinloop::plot {

inline constexpr double kLegendTextSize = 12.0;
inline constexpr double kLegendRow = 18.0;
inline constexpr double kLegendGap = 18.0;  // between a picture and its legend

enum class LegendMark { kLine, kOpenDot, kFullDot };

struct LegendEntry {
  std::string name;
  Stroke stroke;
  LegendMark mark = LegendMark::kLine;
};

/// `text`, shortened in its end to what fits.
std::string fitted(std::string_view text, double size, double max_width, Canvas& canvas);

double legend_width(const std::vector<LegendEntry>& entries, Canvas& canvas);
/// From the given corner down. Entries that do not fit into `height` are counted: "and 12 more".
void draw_legend(Point top_left, double height, const std::vector<LegendEntry>& entries, Canvas& canvas);

}  // namespace kinloop::plot

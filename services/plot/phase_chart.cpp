// The course in one colour, its start and its end marked.
#include "services/plot/phase_chart.hpp"

#include "services/plot/axes.hpp"
#include "services/plot/decimation.hpp"
#include "services/plot/legend.hpp"
#include "services/plot/title.hpp"

namespace kinloop::plot {
namespace {

constexpr double kNarrowLegendGap = 14.0;
constexpr double kStartRadius = 4.0;

}  // namespace

void draw(const PhaseChart& chart, ImageSize size, Canvas& canvas) {
  draw_title(chart.title, size, canvas);
  const Stroke course{kPalette[0], 1.4};
  const Stroke ring{kInk, 1.4};
  const std::vector<LegendEntry> legend = {{"start", ring, LegendMark::kOpenDot}, {"end", ring, LegendMark::kFullDot}};
  Range x_data;
  Range y_data;
  for (const Point& p : chart.line) {
    if (!is_drawable(p)) continue;
    x_data.add(p.x);
    y_data.add(p.y);
  }
  const double right = size.width - kMargin - kNarrowLegendGap - legend_width(legend, canvas);
  const double top = kMargin + title_height(chart.title) + 6.0;
  const Axis x = horizontal_axis(axis_range(x_data), chart.x_label, right - 70.0);
  const double height = size.height - kMargin - room_below(x) - top;
  const Axis y = vertical_axis(axis_range(y_data), chart.y_label, height);
  const double left = kMargin + room_left_of(y, canvas);
  const Rectangle frame{left, top, right - left, height};
  draw_axes(frame, x, y, kMargin + 0.5 * kLabelTextSize, XNumbers::kShown, canvas);

  const Axes axes{frame, x.range, y.range};
  const Line whole = simplified(axes(chart.line), kDrawnTolerance);
  draw_legend({right + kNarrowLegendGap, top}, height, legend, canvas);
  if (whole.empty()) return;
  canvas.polyline(without_overdrawn(whole), course);
  const Point end = is_drawable(whole.back()) ? whole.back() : whole[whole.size() - 2];
  canvas.circle(whole.front(), kStartRadius, {kWhite, ring});
  canvas.circle(end, kStartRadius, {kInk, {}});
}

}  // namespace kinloop::plot

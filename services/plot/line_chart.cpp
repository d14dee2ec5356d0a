// Panels share the x axis and their left and right edges.
#include "services/plot/line_chart.hpp"

#include "services/plot/axes.hpp"
#include "services/plot/decimation.hpp"
#include "services/plot/legend.hpp"
#include "services/plot/title.hpp"

namespace kinloop::plot {
namespace {

constexpr double kPanelGap = 26.0;
constexpr double kLeastPanelHeight = 130.0;
constexpr double kOnePanelHeight = 330.0;
constexpr double kMaxLegendRows = 18.0;
constexpr double kLineWidth = 1.6;

std::vector<LegendEntry> entries_of(const Panel& panel) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    entries.push_back({panel.series[i].name, {line_colour(i), kLineWidth, line_dash(i)}, LegendMark::kLine});
  }
  return entries;
}

double panel_height(const Panel& panel) {
  return std::max(kLeastPanelHeight, std::min(kMaxLegendRows, static_cast<double>(panel.series.size())) * kLegendRow);
}

void draw_series(const Panel& panel, const Axes& axes, Canvas& canvas) {
  const std::vector<LegendEntry> entries = entries_of(panel);
  // The first series is on top: it is the one the reader looks for.
  for (std::size_t i = entries.size(); i-- > 0;) {
    const Line line = simplified(thinned_to_columns(axes(panel.series[i].line)), kDrawnTolerance);
    if (!line.empty()) canvas.polyline(line, entries[i].stroke);
  }
}

}  // namespace

ImageSize natural_size(const LineChart& chart) {
  ImageSize size;
  size.height = 2.0 * kMargin + title_height(chart.title) + 48.0;
  if (chart.panels.size() == 1) {
    size.height += std::max(kOnePanelHeight, panel_height(chart.panels.front()));
    return size;
  }
  for (const Panel& panel : chart.panels) size.height += panel_height(panel) + kPanelGap;
  return size;
}

void draw(const LineChart& chart, ImageSize size, Canvas& canvas) {
  draw_title(chart.title, size, canvas);
  Range x_data;
  double legend = 0.0;
  double asked_height = 0.0;
  for (const Panel& panel : chart.panels) {
    for (const Series& series : panel.series) {
      for (const Point& p : series.line) x_data.add(p.x);
    }
    legend = std::max(legend, legend_width(entries_of(panel), canvas));
    asked_height += panel_height(panel);
  }
  const double right = size.width - kMargin - legend - kLegendGap;
  Axis x = horizontal_axis(tight_range(x_data), chart.x_label, right - 70.0);
  const double top = kMargin + title_height(chart.title) + 6.0;
  const double gaps = kPanelGap * static_cast<double>(chart.panels.size() - 1);
  const double height = size.height - kMargin - room_below(x) - top - gaps;

  std::vector<Axis> y_axes;
  double left = 0.0;
  for (const Panel& panel : chart.panels) {
    Range y_data;
    for (const Series& series : panel.series) {
      for (const Point& p : series.line) y_data.add(p.y);
    }
    y_axes.push_back(vertical_axis(axis_range(y_data), panel.label, height * panel_height(panel) / asked_height));
    left = std::max(left, kMargin + room_left_of(y_axes.back(), canvas));
  }

  double y_top = top;
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const Panel& panel = chart.panels[i];
    const Rectangle frame{left, y_top, right - left, height * panel_height(panel) / asked_height};
    const bool is_last = i + 1 == chart.panels.size();
    draw_axes(frame, x, y_axes[i], kMargin + 0.5 * kLabelTextSize, is_last ? XNumbers::kShown : XNumbers::kHidden,
              canvas);
    draw_series(panel, {frame, x.range, y_axes[i].range}, canvas);
    draw_legend({right + kLegendGap, frame.top}, frame.height + kPanelGap / 2.0, entries_of(panel), canvas);
    y_top = frame.bottom() + kPanelGap;
  }
}

}  // namespace kinloop::plot

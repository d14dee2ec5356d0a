// Draws the legend of a chart, one row an entry.
#include "services/plot/legend.hpp"

#include "services/base/utf8.hpp"

namespace kinloop::plot {
namespace {

constexpr double kSample = 22.0;  // length of the piece of line
constexpr double kSampleGap = 7.0;
constexpr double kMaxNameWidth = 150.0;
constexpr double kDotRadius = 3.5;

void draw_mark(Point at, const LegendEntry& entry, Canvas& canvas) {
  const Point middle{at.x + 0.5 * kSample, at.y};
  switch (entry.mark) {
    case LegendMark::kLine:
      draw_segment(canvas, at, {at.x + kSample, at.y}, entry.stroke);
      break;
    case LegendMark::kOpenDot:
      canvas.circle(middle, kDotRadius, {kWhite, entry.stroke});
      break;
    case LegendMark::kFullDot:
      canvas.circle(middle, kDotRadius, {entry.stroke.colour, {}});
      break;
  }
}

}  // namespace

std::string fitted(std::string_view text, double size, double max_width, Canvas& canvas) {
  std::string shown(text);
  if (canvas.text_width(shown, size) <= max_width) return shown;
  while (!shown.empty() && canvas.text_width(shown + "…", size) > max_width) {
    shown = beginning_of(shown, shown.size() - 1);
  }
  return shown + "…";
}

double legend_width(const std::vector<LegendEntry>& entries, Canvas& canvas) {
  if (entries.empty()) return 0.0;
  double widest = 0.0;
  for (const LegendEntry& entry : entries) {
    const std::string name = fitted(entry.name, kLegendTextSize, kMaxNameWidth, canvas);
    widest = std::max(widest, canvas.text_width(name, kLegendTextSize));
  }
  return kSample + kSampleGap + std::max(widest, 40.0);
}

void draw_legend(Point top_left, double height, const std::vector<LegendEntry>& entries, Canvas& canvas) {
  const std::size_t rows = std::max<std::size_t>(1, static_cast<std::size_t>(height / kLegendRow));
  const std::size_t shown = entries.size() <= rows ? entries.size() : rows - 1;
  const auto row = [&](std::size_t i) {
    return Point{top_left.x, top_left.y + (static_cast<double>(i) + 0.5) * kLegendRow};
  };
  const auto write = [&](std::size_t i, const std::string& text, const Colour& colour) {
    canvas.text({row(i).x + kSample + kSampleGap, row(i).y + text_middle(kLegendTextSize)}, text,
                {kLegendTextSize, colour});
  };
  for (std::size_t i = 0; i < shown; ++i) {
    draw_mark(row(i), entries[i], canvas);
    write(i, fitted(entries[i].name, kLegendTextSize, kMaxNameWidth, canvas), kInk);
  }
  if (shown < entries.size()) write(shown, "and " + std::to_string(entries.size() - shown) + " more", kSoftInk);
}

}  // namespace kinloop::plot

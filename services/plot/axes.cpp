// Draws the axes of a chart: two lines, a light grid, numbers outside.
#include "services/plot/axes.hpp"

namespace kinloop::plot {
namespace {

constexpr double kTickLength = 4.0;
constexpr double kTickGap = 4.0;
constexpr double kPixelsPerXTick = 58.0;
constexpr double kPixelsPerYTick = 27.0;

int tick_count(double pixels, double pixels_per_tick) {
  return std::clamp(static_cast<int>(pixels / pixels_per_tick) + 1, 3, 12);
}

/// In the middle of a pixel, so that thin lines are crisp.
double crisp(double value) noexcept { return std::floor(value) + 0.5; }

}  // namespace

Axis horizontal_axis(Range range, std::string label, double width) {
  return {range, make_ticks(range, tick_count(width, kPixelsPerXTick)), std::move(label)};
}

Axis vertical_axis(Range range, std::string label, double height) {
  return {range, make_ticks(range, tick_count(height, kPixelsPerYTick)), std::move(label)};
}

double room_left_of(const Axis& y, Canvas& canvas) {
  double widest = 0.0;
  for (const std::string& label : y.ticks.labels) widest = std::max(widest, canvas.text_width(label, kTickTextSize));
  return widest + kTickLength + kTickGap + kLabelTextSize + 16.0;
}

double room_below(const Axis& x) { return kTickLength + kTickGap + kTickTextSize + (x.label.empty() ? 6.0 : 28.0); }

void draw_axes(const Rectangle& frame, const Axis& x, const Axis& y, double label_x, XNumbers x_numbers,
               Canvas& canvas) {
  const Axes axes{frame, x.range, y.range};
  const Stroke grid{kGridLine, 1.0};
  const Stroke line{kSoftInk, 1.0};
  const double left = crisp(frame.left);
  const double bottom = crisp(frame.bottom());
  const TextStyle x_text{kTickTextSize, kInk, Anchor::kMiddle};
  const TextStyle y_text{kTickTextSize, kInk, Anchor::kEnd};

  for (std::size_t i = 0; i < x.ticks.values.size(); ++i) {
    const double at = crisp(axes({x.ticks.values[i], y.range.least}).x);
    draw_segment(canvas, {at, frame.top}, {at, bottom}, grid);
    draw_segment(canvas, {at, bottom}, {at, bottom + kTickLength}, line);
    if (x_numbers == XNumbers::kHidden) continue;
    canvas.text({at, bottom + kTickLength + kTickGap + 0.8 * kTickTextSize}, x.ticks.labels[i], x_text);
  }
  for (std::size_t i = 0; i < y.ticks.values.size(); ++i) {
    const double at = crisp(axes({x.range.least, y.ticks.values[i]}).y);
    draw_segment(canvas, {left, at}, {frame.right(), at}, grid);
    draw_segment(canvas, {left - kTickLength, at}, {left, at}, line);
    canvas.text({left - kTickLength - kTickGap, at + text_middle(kTickTextSize)}, y.ticks.labels[i], y_text);
  }
  draw_segment(canvas, {left, frame.top}, {left, bottom}, line);
  draw_segment(canvas, {left, bottom}, {frame.right(), bottom}, line);

  if (!y.ticks.scale.empty()) {
    canvas.text({left, frame.top - 6.0}, y.ticks.scale, {kTickTextSize, kInk, Anchor::kMiddle});
  }
  canvas.text({label_x + text_middle(kLabelTextSize), frame.top + 0.5 * frame.height}, y.label,
              {kLabelTextSize, kInk, Anchor::kMiddle, Turn::kUpwards});
  if (x_numbers == XNumbers::kHidden) return;
  const double below = bottom + kTickLength + kTickGap + kTickTextSize;
  canvas.text({frame.left + 0.5 * frame.width, below + 20.0}, x.label, {kLabelTextSize, kInk, Anchor::kMiddle});
  if (!x.ticks.scale.empty()) {
    canvas.text({frame.right(), below + 20.0}, x.ticks.scale, {kTickTextSize, kInk, Anchor::kEnd});
  }
}

}  // namespace kinloop::plot

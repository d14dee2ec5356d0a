// Two panels over one axis of durations; numbers to the right, names of marks above.
#include "services/timing/timing_chart.hpp"

#include <cmath>

#include "services/plot/legend.hpp"
#include "services/timing/timing_bins.hpp"
#include "services/timing/timing_marks.hpp"

namespace kinloop::timing {
namespace {

using plot::Anchor;
using plot::Axes;
using plot::Axis;
using plot::Canvas;
using plot::Colour;
using plot::Dash;
using plot::Point;
using plot::Rectangle;
using plot::Stroke;

constexpr double kMargin = 26.0;
constexpr double kTitleTextSize = 20.0;
constexpr double kSentenceTextSize = 15.0;
constexpr double kAboutTextSize = 12.0;
constexpr double kNumberTextSize = 13.0;
constexpr double kHeadingHeight = 110.0;
constexpr double kNumbersWidth = 138.0;
constexpr double kNumbersGap = 22.0;
constexpr double kPanelGap = 12.0;
constexpr double kBinPixels = 6.0;
constexpr Colour kLate{0.80, 0.15, 0.10};

struct PanelSpec {
  const char* name;
  const Distribution& all;
  Colour colour;
};

std::string micro(std::string text) {
  const std::size_t at = text.find(" us");
  return at == std::string::npos ? text : text.replace(at, 3, " µs");
}

Colour colour_of(Verdict verdict) {
  if (verdict == Verdict::kKept) return plot::mixed(plot::kPalette[2], plot::kInk, 0.2);
  if (verdict == Verdict::kDegraded) return plot::mixed(plot::kPalette[1], plot::kInk, 0.1);
  return verdict == Verdict::kNotKept ? kLate : plot::kSoftInk;
}

const char* words_of(Verdict verdict) {
  if (verdict == Verdict::kKept) return "deadlines kept";
  if (verdict == Verdict::kDegraded) return "degraded";
  return verdict == Verdict::kNotKept ? "deadlines not kept" : "no verdict";
}

void fill(const Rectangle& area, const Colour& colour, Canvas& canvas) {
  const Point corners[] = {
      {area.left, area.top}, {area.right(), area.top}, {area.right(), area.bottom()}, {area.left, area.bottom()}};
  canvas.polygon(corners, {colour, {}});
}

void draw_heading(const TimingSummary& summary, const TimingHeading& heading, double width, Canvas& canvas) {
  const double room = width - 2.0 * kMargin;
  canvas.text({kMargin, 40.0}, plot::fitted(heading.title, kTitleTextSize, room, canvas), {kTitleTextSize});

  const std::string verdict = words_of(heading.verdict);
  const double chip = canvas.text_width(verdict, kSentenceTextSize) + 18.0;
  fill({kMargin, 53.0, chip, 24.0}, colour_of(heading.verdict), canvas);
  canvas.text({kMargin + 9.0, 65.0 + plot::text_middle(kSentenceTextSize)}, verdict, {kSentenceTextSize, plot::kWhite});
  std::string sentence = micro(deadline_sentence(summary));
  if (!heading.remark.empty()) sentence += "; " + heading.remark;
  canvas.text({kMargin + chip + 12.0, 65.0 + plot::text_middle(kSentenceTextSize)},
              plot::fitted(sentence, kSentenceTextSize, room - chip - 12.0, canvas), {kSentenceTextSize});

  canvas.text({kMargin, 97.0}, plot::fitted(heading.about, kAboutTextSize, room, canvas),
              {kAboutTextSize, plot::kSoftInk});
}

std::vector<Mark> marks_of(const PanelSpec& panel, std::int64_t period_ns, const Axes& axes, Canvas& canvas) {
  const auto place = [&](std::int64_t value_ns) { return axes({log_us(static_cast<double>(value_ns)), 0.0}).x; };
  std::vector<Mark> marks;
  if (panel.all.count > 0) {
    const Colour dark = plot::mixed(panel.colour, plot::kInk, 0.45);
    marks = {{place(panel.all.p50_ns), "p50", {dark, 1.2, Dash::kDashed}},
             {place(panel.all.tail_ns[0]), "p99", {dark, 1.2, Dash::kDashed}},
             {place(panel.all.tail_ns[1]), "p99.9", {dark, 1.2, Dash::kDashed}},
             {place(panel.all.max_ns), "max", {dark, 1.6}}};
  }
  if (period_ns > 0) marks.push_back({place(period_ns), "deadline", {kLate, 2.0}});
  return arranged(std::move(marks), canvas);
}

/// One outline for each row of bins without a gap.
void draw_bins(const std::vector<Bin>& bins, const Axes& axes, const Colour& colour, Canvas& canvas) {
  plot::Line outline;
  const auto finish = [&](double right) {
    outline.push_back(axes({right, axes.y.least}));
    canvas.polygon(outline, {plot::with_opacity(colour, 0.30), Stroke{colour, 1.3}});
    outline.clear();
  };
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const Bin& bin = bins[i];
    const double height = std::log10(static_cast<double>(bin.count));
    if (outline.empty()) outline.push_back(axes({bin.lower, axes.y.least}));
    outline.push_back(axes({bin.lower, height}));
    outline.push_back(axes({bin.upper, height}));
    const bool goes_on = i + 1 < bins.size() && bins[i + 1].lower - bin.upper < 1e-6;
    if (!goes_on) finish(bin.upper);
  }
}

void draw_numbers(const PanelSpec& panel, Point at, Canvas& canvas) {
  const double row = 21.0;
  canvas.text({at.x, at.y + kNumberTextSize}, panel.name, {15.0, plot::mixed(panel.colour, plot::kInk, 0.25)});
  double y = at.y + kNumberTextSize + 6.0;
  const auto write = [&](const char* name, std::int64_t value_ns) {
    y += row;
    canvas.text({at.x, y}, name, {kNumberTextSize, plot::kSoftInk});
    canvas.text({at.x + kNumbersWidth, y}, panel.all.count > 0 ? micro(duration_text(value_ns)) : "–",
                {kNumberTextSize, plot::kInk, Anchor::kEnd});
  };
  write("mean", std::llround(panel.all.mean_ns));
  write("p50", panel.all.p50_ns);
  write("p99", panel.all.tail_ns[0]);
  write("p99.9", panel.all.tail_ns[1]);
  write("p99.99", panel.all.tail_ns[2]);
  write("max", panel.all.max_ns);
}

}  // namespace

void draw_timing(const TimingSummary& summary, const TimingHeading& heading, plot::ImageSize size, Canvas& canvas) {
  draw_heading(summary, heading, size.width, canvas);
  const PanelSpec panels[] = {{"wake-up latency", summary.wake_up, plot::kPalette[0]},
                              {"execution time", summary.execution, plot::kPalette[2]}};
  const Axis x = duration_axis(duration_range(summary));
  const double right = size.width - kMargin - kNumbersWidth - kNumbersGap;
  const double bottom = size.height - 10.0 - room_below(x);
  const int wanted_bins = static_cast<int>((right - kMargin) / kBinPixels);

  double left = 0.0;
  for (const PanelSpec& panel : panels) {
    left = std::max(left, kMargin + room_left_of(count_axis(bins_of(panel.all, x.range, wanted_bins)), canvas));
  }
  const Axes across{{left, 0.0, right - left, 1.0}, x.range, {0.0, 1.0}};
  std::vector<std::vector<Mark>> marks;
  double height = bottom - kHeadingHeight - kPanelGap;
  for (const PanelSpec& panel : panels) {
    marks.push_back(marks_of(panel, summary.period_ns, across, canvas));
    height -= height_of(marks.back());
  }

  double top = kHeadingHeight;
  for (std::size_t i = 0; i < 2; ++i) {
    top += height_of(marks[i]);
    const Rectangle frame{left, top, right - left, 0.5 * height};
    const std::vector<Bin> bins = bins_of(panels[i].all, x.range, wanted_bins);
    const Axis y = count_axis(bins);
    const Axes axes{frame, x.range, y.range};
    draw_axes(frame, x, y, kMargin, i == 0 ? plot::XNumbers::kHidden : plot::XNumbers::kShown, canvas);
    if (summary.has_deadlines()) {
      const double deadline = axes({log_us(static_cast<double>(summary.period_ns)), 0.0}).x;
      fill({deadline, frame.top, right - deadline, frame.height}, plot::with_opacity(kLate, 0.07), canvas);
    }
    draw_bins(bins, axes, panels[i].colour, canvas);
    draw_marks(marks[i], frame, canvas);
    draw_numbers(panels[i], {right + kNumbersGap, frame.top + 6.0}, canvas);
    top = frame.bottom() + kPanelGap;
  }
}

Result<std::string> timing_image(const TimingSummary& summary, const TimingHeading& heading, plot::ImageFormat format) {
  plot::CairoCanvas canvas(format, kTimingChartSize);
  draw_timing(summary, heading, kTimingChartSize, canvas);
  return canvas.finish();
}

}  // namespace kinloop::timing

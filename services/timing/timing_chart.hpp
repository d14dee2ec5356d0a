// Owns the picture of a run's timing: how often which wake-up latency and which execution time occurred.
#pragma once

#include <string>

#include "services/plot/cairo_canvas.hpp"
#include "services/timing/timing_summary.hpp"
#include "services/timing/verdict.hpp"

namespace kinloop::timing {

inline constexpr plot::ImageSize kTimingChartSize{1280.0, 720.0};

/// What stands above the picture, beside the sentence on its deadlines.
struct TimingHeading {
  std::string title;  // "excavator on rig7"
  Verdict verdict = Verdict::kNone;
  std::string remark;  // follows the sentence on deadlines
  std::string about;   // kernel, core, date; one line, cut where it is too long
};

void draw_timing(const TimingSummary& summary, const TimingHeading& heading, plot::ImageSize size,
                 plot::Canvas& canvas);

/// The bytes of a file, kTimingChartSize large.
Result<std::string> timing_image(const TimingSummary& summary, const TimingHeading& heading, plot::ImageFormat format);

}  // namespace kinloop::timing

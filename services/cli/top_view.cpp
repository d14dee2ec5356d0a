// Head and timing always; signals, leases, faults and events share the rows that are left.
#include "services/cli/top_view.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "services/cli/plant_text.hpp"
#include "services/cli/top_line.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

constexpr double kSilence_s = 2.0;
constexpr std::size_t kLeastEvents = 3;
constexpr std::size_t kNameWidth = 18;
constexpr std::size_t kNumberWidth = 12;
constexpr std::size_t kUnitWidth = 6;

console::Style style_of_state(v1::PlantState state) {
  switch (state) {
    case v1::PLANT_STATE_RUNNING:
      return console::Style::kGood;
    case v1::PLANT_STATE_DEAD:
      return console::Style::kBad;
    default:
      return console::Style::kWarning;
  }
}

/// Collects lines of one width.
class Page {
 public:
  Page(int columns, const console::Console& paint) : columns_(columns), paint_(paint) {}

  Line line() const { return {columns_, paint_}; }
  void add(const Line& line) { lines_.push_back(line.text()); }
  void add_blank() { lines_.emplace_back(); }
  const std::vector<std::string>& lines() const noexcept { return lines_; }
  int columns() const noexcept { return columns_; }

 private:
  int columns_;
  const console::Console& paint_;
  std::vector<std::string> lines_;
};

void add_head(const TopView& view, Page& page) {
  const v1::Status& status = view.status;
  Line line = page.line();
  line.add(view.description.rig(), console::Style::kBold).add("  " + word_of(view.description.mode()) + "  ");
  line.add(word_of(status.state()), style_of_state(status.state()));
  line.add("  step " + std::to_string(status.step()) + "  " + console::formatted("%.3f s", status.time_s()));
  if (view.steps_per_s) line.add("  " + console::formatted("%.1f Hz", *view.steps_per_s));
  if (status.level() > 0) line.add("  level " + std::to_string(status.level()), console::Style::kWarning);
  if (view.silent_s > kSilence_s)
    line.add("  silent for " + console::formatted("%.0f s", view.silent_s), console::Style::kBad);
  page.add(line);
  const std::string stop = stop_text(status, view.description);
  if (!stop.empty()) page.add(page.line().add(stop, console::Style::kBad));
}

std::string spread_text(const char* name, std::int64_t middle, std::int64_t tail, std::int64_t worst) {
  const auto us = [](std::int64_t duration_ns) { return microseconds(static_cast<double>(duration_ns)); };
  return std::string(name) + " " + us(middle) + "/" + us(tail) + "/" + us(worst);
}

void add_timing(const TopView& view, Page& page) {
  const v1::Timing& timing = view.timing;
  const v1::Spread& wakeup = timing.wakeup_ns();
  const v1::Spread& execution = timing.execution_ns();
  const v1::Spread& slack = timing.slack_ns();
  page.add(page.line()
               .add("us p50/p99.9/max: ", console::Style::kDim)
               .add(spread_text("wake-up", wakeup.p50(), wakeup.p999(), wakeup.max()))
               .add("  " + spread_text("execution", execution.p50(), execution.p999(), execution.max())));
  const std::int64_t overruns = std::max(timing.overruns(), view.status.overruns());
  Line line = page.line();
  line.add("us p50/min:       ", console::Style::kDim);
  line.add("slack " + microseconds(static_cast<double>(slack.p50())) + "/" +
           microseconds(static_cast<double>(slack.min())));
  line.add("  overruns " + std::to_string(overruns), overruns > 0 ? std::optional(console::Style::kBad) : std::nullopt);
  line.add("  failed steps " + std::to_string(view.status.failed_steps()),
           view.status.failed_steps() > 0 ? std::optional(console::Style::kBad) : std::nullopt);
  if (view.status.fallbacks() > 0) {
    line.add("  fallbacks " + std::to_string(view.status.fallbacks()), console::Style::kWarning);
  }
  if (view.status.coarse_steps() > 0) {
    line.add("  coarse steps " + std::to_string(view.status.coarse_steps()), console::Style::kWarning);
  }
  page.add(line);
}

void add_counters(const TopView& view, Page& page) {
  const v1::Status& status = view.status;
  Line line = page.line();
  line.add("commands " + std::to_string(status.commands_accepted()) + ", refused " +
           std::to_string(status.commands_refused()) + "  made safe " + std::to_string(status.actuators_made_safe()) +
           "  frames " + std::to_string(status.frames_published()) + ", dropped " +
           std::to_string(status.frames_dropped()));
  page.add(line);
  if (status.recording().empty() && status.record_trouble().empty()) return;
  Line record = page.line();  // what is wrong goes first: the path may be longer than the window is wide
  if (!status.record_trouble().empty()) {
    record.add("record: " + std::to_string(status.record_dropped()) + " lost, " + status.record_trouble() + "  ",
               console::Style::kBad);
  }
  if (!status.recording().empty()) record.add("recording " + status.recording());
  page.add(record);
}

std::optional<std::string> fault_of(const v1::Status& status, const std::string& signal) {
  for (const v1::ActiveFault& fault : status.faults()) {
    if (fault.signal() == signal) return fault.kind();
  }
  return std::nullopt;
}

std::string holder_of(const v1::Status& status, const std::string& actuator) {
  for (const v1::Lease& lease : status.leases()) {
    if (std::find(lease.actuators().begin(), lease.actuators().end(), actuator) != lease.actuators().end()) {
      return lease.holder() + " (" + seconds_text(lease.time_left_s()) + ")";
    }
  }
  return "free";
}

void add_sensor(const TopView& view, int index, Page& page) {
  const v1::Sensor& sensor = view.description.sensors(index);
  const bool has_value = view.frame && index < view.frame->value_size();
  const double value = has_value ? view.frame->value(index) : std::nan("");
  const std::string words = has_value ? sensor_flag_words(sensor_flags(*view.frame, index)) : "";
  constexpr int kFixed = kNameWidth + kNumberWidth + kUnitWidth + 3;
  constexpr int kFlagWidth = 18;
  const int bar_width = std::clamp(page.columns() - kFixed - kFlagWidth, 0, 40);
  Line line = page.line();
  line.add_left(sensor.name(), kNameWidth)
      .add_right(std::isnan(value) ? "-" : console::plain_number(value), kNumberWidth);
  line.add(" ").add_left(sensor.unit(), kUnitWidth, console::Style::kDim).add(" ");
  if (bar_width >= 5) line.add(bar_text(value, sensor.lower(), sensor.upper(), bar_width)).add(" ");
  line.add(words, console::Style::kWarning);
  if (const auto fault = fault_of(view.status, sensor.name()))
    line.add((words.empty() ? "" : " ") + *fault, console::Style::kBad);
  page.add(line);
}

void add_actuator(const TopView& view, int index, Page& page) {
  const v1::Actuator& actuator = view.description.actuators(index);
  const std::string holder = holder_of(view.status, actuator.name());
  Line line = page.line();
  line.add_left(actuator.name(), kNameWidth).add_right(limits_text(actuator.lower(), actuator.upper()), kNumberWidth);
  line.add(" ").add_left(actuator.unit(), kUnitWidth, console::Style::kDim).add(" ");
  line.add("lease: " + holder);
  if (const auto fault = fault_of(view.status, actuator.name())) line.add("  " + *fault, console::Style::kBad);
  page.add(line);
}

/// Sensors, then actuators, in at most so many rows.
void add_signals(const TopView& view, std::size_t rows, Page& page) {
  const int sensors = view.description.sensors_size();
  const int actuators = view.description.actuators_size();
  const auto all = static_cast<std::size_t>(sensors + actuators);
  const std::size_t shown = all <= rows ? all : (rows > 0 ? rows - 1 : 0);
  // Actuators are few and matter; a long list of sensors is cut first.
  const std::size_t shown_actuators =
      std::min(static_cast<std::size_t>(actuators),
               std::max<std::size_t>(shown / 3, shown - std::min(shown, static_cast<std::size_t>(sensors))));
  const std::size_t shown_sensors = shown - shown_actuators;
  for (std::size_t i = 0; i < shown_sensors; ++i) add_sensor(view, static_cast<int>(i), page);
  for (std::size_t i = 0; i < shown_actuators; ++i) add_actuator(view, static_cast<int>(i), page);
  if (shown < all && rows > 0) {
    page.add(page.line().add("... " + std::to_string(all - shown) + " more signals: a taller window shows them",
                             console::Style::kDim));
  }
}

/// Faults of what is no signal here, as forces on bodies are.
void add_other_faults(const TopView& view, Page& page) {
  for (const v1::ActiveFault& fault : view.status.faults()) {
    const auto is_named = [&](const auto& one) { return one.name() == fault.signal(); };
    const v1::Description& plant = view.description;
    const bool is_signal = std::any_of(plant.sensors().begin(), plant.sensors().end(), is_named) ||
                           std::any_of(plant.actuators().begin(), plant.actuators().end(), is_named);
    if (!is_signal) page.add(page.line().add("fault: " + fault.signal() + " " + fault.kind(), console::Style::kBad));
  }
}

void add_events(const TopView& view, std::size_t rows, Page& page) {
  const std::size_t shown = std::min(rows, view.events.size());
  for (std::size_t i = view.events.size() - shown; i < view.events.size(); ++i) {
    const v1::Event& event = view.events[i];
    page.add(page.line()
                 .add_right(std::to_string(event.step()), 10, console::Style::kDim)
                 .add("  ")
                 .add_left(event.kind(), 16)
                 .add(" " + event.text()));
  }
}

}  // namespace

std::string bar_text(double value, double lower, double upper, int width) {
  std::string blank(static_cast<std::size_t>(std::max(width, 0)), ' ');
  const int inner = width - 2;
  if (inner < 1 || !std::isfinite(value) || !std::isfinite(lower) || !std::isfinite(upper) || !(lower < upper)) {
    return blank;
  }
  const double share = std::clamp((value - lower) / (upper - lower), 0.0, 1.0);
  std::string bar(static_cast<std::size_t>(inner), '.');
  bar[std::min(static_cast<std::size_t>(share * inner), bar.size() - 1)] = '#';
  return "[" + bar + "]";
}

std::string render_top(const TopView& view, WindowSize size, Colours colours) {
  std::ostream nowhere(nullptr);
  const console::Console paint{nowhere, nowhere, colours == Colours::kOn};
  Page page(size.columns, paint);
  add_head(view, page);
  add_timing(view, page);
  add_counters(view, page);
  page.add_blank();

  Page faults(size.columns, paint);
  add_other_faults(view, faults);
  const std::size_t rows = size.rows > 0 ? static_cast<std::size_t>(size.rows) : 0;
  const std::size_t foot = view.message.empty() ? 0 : 1;
  const std::size_t taken = page.lines().size() + faults.lines().size() + foot;
  const std::size_t free = rows > taken ? rows - taken : 0;
  // A blank line parts events from signals; with little room they go first.
  const std::size_t wanted_events = std::min(view.events.size(), kLeastEvents) + (view.events.empty() ? 0 : 1);
  add_signals(view, free > 2 * wanted_events ? free - wanted_events : free, page);
  std::vector<std::string> lines = page.lines();
  lines.insert(lines.end(), faults.lines().begin(), faults.lines().end());
  if (lines.size() + foot + 1 < rows && !view.events.empty()) {
    Page events(size.columns, paint);
    events.add_blank();
    add_events(view, rows - lines.size() - foot - 1, events);
    lines.insert(lines.end(), events.lines().begin(), events.lines().end());
  }
  lines.resize(std::min(lines.size(), rows > foot ? rows - foot : 0));
  if (foot > 0 && rows > 0)
    lines.push_back(Line(size.columns, paint).add(view.message, console::Style::kWarning).text());
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace kinloop::cli

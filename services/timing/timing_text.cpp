// Tables in microseconds, then sentences.
#include "services/timing/timing_text.hpp"

#include <algorithm>
#include <ostream>

#include "services/console/table.hpp"
#include "services/timing/verdict.hpp"

namespace kinloop::timing {
namespace {

using console::Align;
using console::Console;
using console::Style;
using console::Table;

std::string us(double duration_ns) { return console::formatted("%.1f", duration_ns / 1000.0); }
std::string us(std::int64_t duration_ns) { return us(static_cast<double>(duration_ns)); }

std::vector<std::string> row_of(const std::string& name, const Distribution& all, std::int64_t worst_ns) {
  if (all.count == 0) return {name, "-", "-", "-", "-", "-", "-"};
  return {name,        us(all.mean_ns), us(all.p50_ns), us(all.tail_ns[0]), us(all.tail_ns[1]), us(all.tail_ns[2]),
          us(worst_ns)};
}

Style style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNone:
      return Style::kBold;
    case Verdict::kKept:
      return Style::kGood;
    case Verdict::kDegraded:
      return Style::kWarning;
    case Verdict::kNotKept:
      return Style::kBad;
  }
  return Style::kBold;
}

void print_distributions(const TimingSummary& summary, std::ostream& out) {
  constexpr Align kRight = Align::kRight;
  Table table({{"us"},
               {"mean", kRight},
               {"p50", kRight},
               {"p99", kRight},
               {"p99.9", kRight},
               {"p99.99", kRight},
               {"max", kRight}});
  const auto add = [&](const std::string& name, const Distribution& all) { table.add(row_of(name, all, all.max_ns)); };
  add("wake-up", summary.wake_up);
  add("execution", summary.execution);
  for (std::size_t p = 0; p < rt::kPhases; ++p) {
    add("  " + std::string(name_of(static_cast<rt::Phase>(p))), summary.phases[p]);
  }
  if (summary.has_deadlines()) {
    add("jitter", summary.jitter);
    table.add({"", "mean", "p50", "p1", "p0.1", "p0.01", "min"});
    table.add(row_of("slack", summary.slack, summary.slack.min_ns));
  }
  table.print(out);
}

void print_worst(const TimingSummary& summary, std::ostream& out) {
  if (summary.worst.empty()) return;
  std::vector<Table::Column> columns = {{"worst steps, us", Align::kRight}, {"wake-up", Align::kRight}};
  for (std::size_t p = 0; p < rt::kPhases; ++p) {
    columns.push_back({std::string(name_of(static_cast<rt::Phase>(p))), Align::kRight});
  }
  columns.push_back({"in all", Align::kRight});
  Table table(std::move(columns));
  constexpr std::size_t kMaxShown = 5;
  for (std::size_t i = 0; i < std::min(kMaxShown, summary.worst.size()); ++i) {
    const rt::StepTiming& step = summary.worst[i];
    std::vector<std::string> cells = {std::to_string(step.step), us(step.latency_ns())};
    for (const std::int64_t phase_ns : step.phase_ns) cells.push_back(us(phase_ns));
    cells.push_back(us(step.response_ns()));
    const std::int64_t late_ns = summary.lateness_ns(step);
    table.add(std::move(cells), late_ns > 0 ? "late by " + us(late_ns) : "");
  }
  out << "\n";
  table.print(out);
}

/// What happened, in one line a concern; what did not happen is left out.
class Events {
 public:
  explicit Events(std::string concern) : concern_(std::move(concern)) {}

  void add(std::int64_t count, std::string_view singular, std::string_view plural) {
    if (count > 0) add(counted(count, singular, plural));
  }
  void add(const std::string& what) { text_ += (text_.empty() ? "" : ", ") + what; }

  void print(const Console& console, Style style) const {
    if (!text_.empty()) console.out << console.on_out(concern_ + ": " + text_, style) << "\n";
  }

 private:
  std::string concern_, text_;
};

void print_overrun(const rt::LoopStatus& status, const Console& console) {
  const rt::OverrunCounters& overrun = status.overrun;
  Events events("deadlines");
  events.add(overrun.misses, "late step", "late steps");
  if (overrun.longest_run > 1) events.add("up to " + std::to_string(overrun.longest_run) + " in a row");
  events.add(overrun.skipped_releases, "release skipped", "releases skipped");
  if (overrun.slipped_ns > 0) events.add("the plant slipped by " + duration_text(overrun.slipped_ns));
  events.add(overrun.level_changes, "change of level", "changes of level");
  if (status.level > 0) events.add("now at level " + std::to_string(status.level));
  events.print(console, Style::kBad);
}

void print_commands(const rt::CommandCounters& commands, const Console& console) {
  Events events("commands");
  events.add(commands.damaged, "damaged on its way", "damaged on their way");
  events.add(commands.of_other_count, "refused for its count of values", "refused for their count of values");
  events.add(commands.not_finite, "value not finite", "values not finite");
  events.add(commands.out_of_range, "value out of range", "values out of range");
  events.add(commands.made_safe, "time an actuator was made safe", "times an actuator was made safe");
  events.add(commands.ignored_while_safe, "ignored while safe", "ignored while safe");
  events.add(commands.rearmed, "time re-armed", "times re-armed");
  events.print(console, Style::kWarning);
}

void print_plant(const rt::LoopStatus& status, const Console& console) {
  Events events("plant");
  if (status.faults.failed > 0) {
    events.add(counted(status.faults.failed, "step", "steps") +
               " failed, the last: " + std::string(describe(status.faults.last)));
  }
  events.add(status.faults.capped, "step with loops not closed to tolerance",
             "steps with loops not closed to tolerance");
  events.add(status.fallbacks, "answer taken from another formulation", "answers taken from other formulations");
  events.add(status.coarse_steps, "step too long for the motion", "steps too long for the motion");
  events.print(console, status.faults.failed > 0 ? Style::kBad : Style::kWarning);
}

void print_dropped(const rt::LoopStatus& status, const Console& console) {
  Events events("dropped");
  events.add(static_cast<std::int64_t>(status.frames_dropped), "frame", "frames");
  events.add(static_cast<std::int64_t>(status.journal_dropped), "journal entry", "journal entries");
  events.add(static_cast<std::int64_t>(status.events_dropped), "event", "events");
  events.print(console, Style::kWarning);
}

void print_thread(const rt::ThreadUsage& usage, const Console& console) {
  const std::string text = "thread: " + counted(usage.minor_faults, "minor page fault", "minor page faults") + ", " +
                           std::to_string(usage.major_faults) + " major, " +
                           counted(usage.preemptions, "preemption", "preemptions") + ", " +
                           counted(usage.waits, "wait", "waits");
  const bool has_faults = usage.minor_faults + usage.major_faults > 0;
  console.out << (has_faults ? console.on_out(text, Style::kWarning) : text) << "\n";
}

void print_refusals(std::span<const rt::Refusal> refusals, const Console& console) {
  if (refusals.empty()) return;
  console.out << "\n"
              << console.on_out("DEGRADED: this run was without what real time needs; nothing above is a promise",
                                Style::kBad)
              << "\n";
  for (const rt::Refusal& refusal : refusals) {
    console.out << "  refused: " << refusal.what << "\n";
    if (!refusal.fix.empty()) console.out << "    " << console.on_out("# " + refusal.fix, Style::kDim) << "\n";
  }
}

}  // namespace

void print_timing(const TimingSummary& summary, std::span<const rt::Refusal> refusals, const Console& console) {
  const rt::LoopStatus& status = summary.status;
  console.out << console.on_out(deadline_sentence(summary), style_of(judge(summary, refusals, {}).verdict)) << "\n";
  if (summary.steps > 0) {
    if (summary.has_deadlines()) console.out << "period " << us(summary.period_ns) << " us\n";
    console.out << "\n";
    print_distributions(summary, console.out);
    print_worst(summary, console.out);
    console.out << "\n";
  }
  print_overrun(status, console);
  print_commands(status.commands, console);
  print_plant(status, console);
  print_dropped(status, console);
  print_thread(status.usage, console);
  print_refusals(refusals, console);
}

}  // namespace kinloop::timing

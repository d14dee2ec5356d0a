// Judges a run by its counters, and puts the verdict in words.
#include "services/timing/verdict.hpp"

#include <array>
#include <cstdio>

namespace kinloop::timing {
namespace {

std::string latest(const TimingSummary& summary) {
  if (summary.status.overrun.misses == 0) return duration_text(summary.slack.min_ns) + " before its deadline";
  // The list may be missing while the loop changes it.
  const std::int64_t late_ns = summary.worst.empty() ? 0 : summary.lateness_ns(summary.worst.front());
  return late_ns > 0 ? duration_text(late_ns) + " after its deadline" : "";
}

std::string misses_text(const TimingSummary& summary) {
  const rt::OverrunCounters& overrun = summary.status.overrun;
  std::string text = std::to_string(overrun.misses) + " of " +
                     counted(static_cast<std::int64_t>(summary.steps), "step", "steps") + " ended late";
  const std::string by = latest(summary);
  if (!by.empty()) text += (overrun.misses == 1 ? ", " : ", the latest ") + by;
  if (overrun.misses_in_grace == overrun.misses) return text + ", in the grace at the start";
  if (overrun.misses_in_grace > 0) {
    text += "; " + std::to_string(overrun.misses_in_grace) + " of them in the grace at the start";
  }
  return text;
}

}  // namespace

std::string_view name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kNone:
      return "none";
    case Verdict::kKept:
      return "kept";
    case Verdict::kDegraded:
      return "degraded";
    case Verdict::kNotKept:
      return "not_kept";
  }
  return "unknown";
}

Judgement judge(const TimingSummary& summary, std::span<const rt::Refusal> refusals,
                std::span<const host::Finding> findings) {
  std::vector<std::string> reasons;
  const rt::OverrunCounters& overrun = summary.status.overrun;
  const bool has_misses = summary.has_deadlines() && overrun.misses > 0;
  if (has_misses) reasons.push_back(misses_text(summary));
  const std::size_t before = reasons.size();
  for (const rt::Refusal& refusal : refusals) reasons.push_back("refused: " + refusal.what);
  for (const host::Finding& finding : findings) {
    if (finding.verdict == host::Verdict::kBad) reasons.push_back("host: " + finding.topic + ": " + finding.what);
  }
  if (summary.status.faults.failed > 0) {
    reasons.push_back(counted(summary.status.faults.failed, "step", "steps") +
                      " failed: " + std::string(describe(summary.status.faults.last)));
  }
  const bool is_degraded = reasons.size() > before;
  if (!summary.has_deadlines() || summary.steps == 0) return {Verdict::kNone, std::move(reasons)};
  if (overrun.misses > overrun.misses_in_grace) return {Verdict::kNotKept, std::move(reasons)};
  return {is_degraded ? Verdict::kDegraded : Verdict::kKept, std::move(reasons)};
}

std::string deadline_sentence(const TimingSummary& summary) {
  if (summary.steps == 0) return "no step was made";
  const std::string steps = counted(static_cast<std::int64_t>(summary.steps), "step", "steps");
  if (!summary.has_deadlines()) return steps + ", without deadlines";
  if (summary.status.overrun.misses > 0) return misses_text(summary);
  if (summary.steps == 1) return "the one step ended in time, " + latest(summary);
  return "all " + steps + " ended in time, the latest " + latest(summary);
}

std::string duration_text(std::int64_t duration_ns) {
  constexpr std::array<const char*, 4> kUnits = {" ns", " us", " ms", " s"};
  auto value = static_cast<double>(duration_ns);
  std::size_t unit = 0;
  // 999.5 would be printed as 1000.
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000.0;
  int decimals = 0;
  if (unit > 0) decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return buffer.data() + std::string(kUnits[unit]);
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
  return std::to_string(count) + " " + std::string(count == 1 ? singular : plural);
}

}  // namespace kinloop::timing

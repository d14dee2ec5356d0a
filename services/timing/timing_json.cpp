// Every key is always there; what was not measured is null.
#include "services/timing/timing_json.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "services/timing/verdict.hpp"

namespace kinloop::timing {
namespace {

using Json = nlohmann::ordered_json;
using TailKeys = std::array<const char*, 3>;

constexpr TailKeys kHighTail = {"p99_ns", "p99_9_ns", "p99_99_ns"};
constexpr TailKeys kLowTail = {"p1_ns", "p0_1_ns", "p0_01_ns"};

Json spread_of(const Distribution& all, const TailKeys& tail) {
  const auto measured = [&](auto value) { return all.count > 0 ? Json(value) : Json(nullptr); };
  Json result = {{"count", all.count},
                 {"mean_ns", measured(all.mean_ns)},
                 {"min_ns", measured(all.min_ns)},
                 {"p50_ns", measured(all.p50_ns)}};
  for (std::size_t i = 0; i < tail.size(); ++i) result[tail[i]] = measured(all.tail_ns[i]);
  result["max_ns"] = measured(all.max_ns);
  return result;
}

std::string phase_name(std::size_t p) { return std::string(name_of(static_cast<rt::Phase>(p))); }

Json worst_of(const TimingSummary& summary) {
  Json list = Json::array();
  for (const rt::StepTiming& step : summary.worst) {
    Json phases;
    for (std::size_t p = 0; p < rt::kPhases; ++p) phases[phase_name(p) + "_ns"] = step.phase_ns[p];
    list.push_back({{"step", step.step},
                    {"response_ns", step.response_ns()},
                    {"late_ns", summary.has_deadlines() ? Json(summary.lateness_ns(step)) : Json(nullptr)},
                    {"wake_up_ns", step.latency_ns()},
                    {"execution_ns", step.execution_ns()},
                    {"phases", std::move(phases)}});
  }
  return list;
}

Json overrun_of(const rt::LoopStatus& status) {
  const rt::OverrunCounters& overrun = status.overrun;
  return {{"misses", overrun.misses},
          {"misses_in_grace", overrun.misses_in_grace},
          {"longest_run", overrun.longest_run},
          {"skipped_releases", overrun.skipped_releases},
          {"slipped_ns", overrun.slipped_ns},
          {"level", status.level},
          {"level_changes", overrun.level_changes}};
}

Json commands_of(const rt::CommandCounters& commands) {
  return {{"accepted", commands.accepted},
          {"damaged", commands.damaged},
          {"of_other_count", commands.of_other_count},
          {"not_finite", commands.not_finite},
          {"out_of_range", commands.out_of_range},
          {"made_safe", commands.made_safe},
          {"ignored_while_safe", commands.ignored_while_safe},
          {"rearmed", commands.rearmed}};
}

Json plant_of(const rt::LoopStatus& status) {
  const bool has_failed = status.faults.failed > 0;
  return {{"step", status.step},
          {"time_s", status.time_s},
          {"failed_steps", status.faults.failed},
          {"last_failure", has_failed ? Json(describe(status.faults.last)) : Json(nullptr)},
          {"capped_steps", status.faults.capped},
          {"coordinate_switches", status.switches},
          {"singular_evaluations", status.singular},
          {"fallbacks", status.fallbacks},
          {"coarse_steps", status.coarse_steps},
          {"largest_closure_error", status.largest_closure_error}};
}

/// The durations of a summary under their public names.
template <class Make>
Json for_each_duration(const TimingSummary& summary, const Make& make) {
  Json phases;
  for (std::size_t p = 0; p < rt::kPhases; ++p) phases[phase_name(p)] = make(summary.phases[p], kHighTail);
  return {{"wake_up", make(summary.wake_up, kHighTail)},
          {"execution", make(summary.execution, kHighTail)},
          {"phases", std::move(phases)},
          {"jitter", make(summary.jitter, kHighTail)},
          {"slack", make(summary.slack, kLowTail)}};
}

}  // namespace

Json timing_json(const TimingSummary& summary) {
  const rt::LoopStatus& status = summary.status;
  Json result = {{"steps", summary.steps},
                 {"period_ns", summary.has_deadlines() ? Json(summary.period_ns) : Json(nullptr)},
                 {"sentence", deadline_sentence(summary)}};
  result.update(for_each_duration(summary, spread_of));
  result["worst_steps"] = worst_of(summary);
  result["overrun"] = overrun_of(status);
  result["commands"] = commands_of(status.commands);
  result["plant"] = plant_of(status);
  result["thread"] = {{"minor_faults", status.usage.minor_faults},
                      {"major_faults", status.usage.major_faults},
                      {"preemptions", status.usage.preemptions},
                      {"waits", status.usage.waits}};
  result["dropped"] = {
      {"frames", status.frames_dropped}, {"journal", status.journal_dropped}, {"events", status.events_dropped}};
  return result;
}

Json histograms_json(const TimingSummary& summary) {
  return for_each_duration(summary, [](const Distribution& all, const TailKeys& /*tail*/) {
    Json list = Json::array();
    for (const Bucket& bucket : all.buckets) list.push_back(Json::array({bucket.lower_ns, bucket.count}));
    return list;
  });
}

Json refusals_json(std::span<const rt::Refusal> refusals) {
  Json list = Json::array();
  for (const rt::Refusal& refusal : refusals) {
    list.push_back({{"what", refusal.what}, {"fix", refusal.fix.empty() ? Json(nullptr) : Json(refusal.fix)}});
  }
  return list;
}

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kinloop::timing

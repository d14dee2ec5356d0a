// Copies status and timing to messages, field by field.
#include "services/wire/status_codec.hpp"

namespace kinloop::wire {
namespace {

void to_wire(const timing::Distribution& distribution, v1::Spread& out) {
  out.set_min(distribution.min_ns);
  out.set_mean(distribution.mean_ns);
  out.set_p50(distribution.p50_ns);
  out.set_p99(distribution.tail_ns[0]);
  out.set_p999(distribution.tail_ns[1]);
  out.set_max(distribution.max_ns);
}

void to_wire(const std::vector<timing::Bucket>& buckets, v1::Histogram& out) {
  for (const timing::Bucket& bucket : buckets) {
    out.add_at_most_ns(bucket.upper_ns);
    out.add_count(static_cast<std::int64_t>(bucket.count));
  }
}

void add_fault(const std::string& signal, std::string_view kind, v1::Status& out) {
  v1::ActiveFault& fault = *out.add_faults();
  fault.set_signal(signal);
  fault.set_kind(std::string(kind));
}

void to_wire(const EnergyBalance& energy, v1::EnergyAccount& out) {
  out.set_since_s(energy.since_s);
  out.set_kinetic(energy.kinetic_J);
  out.set_gravity(energy.gravity_J);
  out.set_elastic(energy.elastic_J);
  out.set_lost_in_dampers(energy.dissipated.dampers);
  out.set_lost_in_friction(energy.dissipated.friction);
  out.set_lost_in_stops(energy.dissipated.stops);
  out.set_lost_in_contacts(energy.dissipated.contacts);
  out.set_lost_in_ropes(energy.dissipated.ropes);
  out.set_work_of_actuators(energy.actuators_J);
  out.set_work_of_drives(energy.drives_J);
  out.set_work_from_outside(energy.outside_J);
  out.set_work_of_projection(energy.projection_J);
  out.set_rest(energy.rest_J);
  out.set_exchanged(energy.exchanged_J);
  const EnergySource source = largest_source(energy);
  out.set_created(source.created_J);
  if (source.created_J > 0.0) out.set_created_by(std::string(source.name));
}

}  // namespace

void to_wire(const rt::LoopStatus& status, const PlantSpec& plant, v1::Status& out) {
  out.set_step(status.step);
  out.set_time_s(status.time_s);
  out.set_level(static_cast<std::uint32_t>(status.level));
  out.set_overruns(status.overrun.misses);
  out.set_failed_steps(status.faults.failed);
  out.set_fallbacks(status.fallbacks);
  out.set_coarse_steps(status.coarse_steps);
  if (status.accounts_energy) to_wire(status.energy, *out.mutable_energy());
  const rt::CommandCounters& commands = status.commands;
  out.set_commands_accepted(commands.accepted);
  out.set_commands_refused(commands.damaged + commands.of_other_count + commands.not_finite + commands.out_of_range +
                           commands.ignored_while_safe);
  out.set_actuators_made_safe(commands.made_safe);
  for (std::size_t i = 0; i < plant.actuators.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((status.held.safe & bit) != 0) out.add_actuators_safe(plant.actuators[i].name);
    if ((status.held.stopped & bit) != 0) out.add_actuators_stopped(plant.actuators[i].name);
  }
  out.set_frames_dropped(static_cast<std::int64_t>(status.frames_dropped));
  const std::size_t sensors = plant.sensors.size();
  for (std::size_t i = 0; i < sensors + plant.actuators.size(); ++i) {
    const std::string& name = i < sensors ? plant.sensors[i].name : plant.actuators[i - sensors].name;
    const unsigned word = status.faults_of_signals[i];
    const unsigned fault = word & ~unsigned{rt::LoopStatus::kOverridden};
    if (fault != 0) add_fault(name, name_of(static_cast<SignalFault>(fault)), out);
    if ((word & rt::LoopStatus::kOverridden) != 0) add_fault(name, "override", out);
  }
}

void to_wire(const timing::TimingSummary& summary, v1::Timing& out) {
  out.set_steps(summary.steps);
  out.set_period_ns(summary.period_ns);
  to_wire(summary.wake_up, *out.mutable_wakeup_ns());
  to_wire(summary.execution, *out.mutable_execution_ns());
  to_wire(summary.jitter, *out.mutable_period_spread_ns());
  to_wire(summary.slack, *out.mutable_slack_ns());
  out.set_overruns(summary.status.overrun.misses);
  out.set_page_faults(summary.status.usage.minor_faults + summary.status.usage.major_faults);
  out.set_preemptions(summary.status.usage.preemptions);
  to_wire(summary.wake_up.buckets, *out.mutable_wakeup());
  to_wire(summary.execution.buckets, *out.mutable_execution());
  to_wire(summary.slack.buckets, *out.mutable_slack());
  for (const rt::StepTiming& step : summary.worst) {
    v1::WorstStep& worst = *out.add_worst();
    worst.set_step(static_cast<std::uint64_t>(step.step));
    worst.set_wakeup_ns(step.latency_ns());
    worst.set_execution_ns(step.execution_ns());
  }
}

}  // namespace kinloop::wire

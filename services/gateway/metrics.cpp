// Families with base units and the suffixes that Prometheus asks for. Histograms have fixed bounds, so that they can be
// added up over plants.
#include "services/gateway/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "services/host/build_facts.hpp"

namespace kinloop::gateway {
namespace {

using Family = prometheus::MetricFamily;
using Metric = prometheus::ClientMetric;
using Labels = std::vector<Metric::Label>;

constexpr std::array kBounds_s{1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4,
                               5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1};

class Families {
 public:
  explicit Families(std::string rig) : rig_(std::move(rig)) {}

  void counter(const char* name, const char* help, double value, Labels labels = {}) {
    Metric metric = labelled(std::move(labels));
    metric.counter.value = value;
    family(name, help, prometheus::MetricType::Counter).metric.push_back(std::move(metric));
  }
  void gauge(const char* name, const char* help, double value, Labels labels = {}) {
    Metric metric = labelled(std::move(labels));
    metric.gauge.value = value;
    family(name, help, prometheus::MetricType::Gauge).metric.push_back(std::move(metric));
  }
  void histogram(const char* name, const char* help, const v1::Histogram& fine, double mean_ns) {
    Metric metric = labelled({});
    std::uint64_t total = 0;
    int next = 0;
    for (const double bound_s : kBounds_s) {
      while (next < fine.count_size() && static_cast<double>(fine.at_most_ns(next)) * 1e-9 <= bound_s) {
        total += static_cast<std::uint64_t>(fine.count(next++));
      }
      metric.histogram.bucket.push_back({total, bound_s});
    }
    for (; next < fine.count_size(); ++next) total += static_cast<std::uint64_t>(fine.count(next));
    metric.histogram.bucket.push_back({total, std::numeric_limits<double>::infinity()});
    metric.histogram.sample_count = total;
    metric.histogram.sample_sum = static_cast<double>(total) * mean_ns * 1e-9;
    family(name, help, prometheus::MetricType::Histogram).metric.push_back(std::move(metric));
  }

  std::string text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, all_);
    return out.str();
  }

 private:
  Metric labelled(Labels labels) const {
    Metric metric;
    metric.label = {{"rig", rig_}};
    metric.label.insert(metric.label.end(), labels.begin(), labels.end());
    return metric;
  }
  /// Metrics of one name stand together.
  Family& family(const char* name, const char* help, prometheus::MetricType type) {
    if (all_.empty() || all_.back().name != name) all_.push_back({name, help, type, {}});
    return all_.back();
  }

  std::string rig_;
  std::vector<Family> all_;
};

double number(std::int64_t value) { return static_cast<double>(value); }

void add_energy(const v1::EnergyAccount& energy, Families& all) {
  const auto add = [&](const char* name, const char* help, const char* label,
                       std::initializer_list<std::pair<const char*, double>> parts) {
    for (const auto& [part, joule] : parts) all.gauge(name, help, joule, {{label, part}});
  };
  add("kinloop_energy_stored_joules", "Energy of the mechanism.", "store",
      {{"kinetic", energy.kinetic()}, {"gravity", energy.gravity()}, {"elastic", energy.elastic()}});
  add("kinloop_energy_lost_joules", "Energy that elements took, since the account began.", "by",
      {{"dampers", energy.lost_in_dampers()},
       {"friction", energy.lost_in_friction()},
       {"stops", energy.lost_in_stops()},
       {"contacts", energy.lost_in_contacts()},
       {"ropes", energy.lost_in_ropes()}});
  add("kinloop_energy_work_joules", "Work done on the mechanism, since the account began.", "of",
      {{"actuators", energy.work_of_actuators()},
       {"drives", energy.work_of_drives()},
       {"outside", energy.work_from_outside()},
       {"projection", energy.work_of_projection()},
       {"integrator", energy.rest()}});
}

}  // namespace

std::string metrics_text(const MetricFacts& facts) {
  const v1::Status& status = facts.status;
  const v1::Timing& timing = facts.timing;
  Families all(facts.description.rig());
  all.gauge("kinloop_build_info", "What runs here; always 1.", 1.0,
            {{"version", facts.description.program()}, {"commit", host::build_facts().commit}});
  all.counter("kinloop_steps_total", "Steps of the plant.", static_cast<double>(timing.steps()));
  all.counter("kinloop_overruns_total", "Steps that ended after their deadline.", number(status.overruns()),
              {{"policy", facts.overrun_policy}});
  all.histogram("kinloop_step_duration_seconds", "Time that a step took.", timing.execution(),
                timing.execution_ns().mean());
  all.histogram("kinloop_wakeup_latency_seconds", "From a step's planned release until its thread was awake.",
                timing.wakeup(), timing.wakeup_ns().mean());
  for (int i = 0; i < facts.description.actuators_size() && i < facts.motion.age_ticks_size(); ++i) {
    all.gauge("kinloop_command_age_seconds", "Age of the command in force, in the plant's time.",
              number(facts.motion.age_ticks(i)) * facts.description.dt_s(),
              {{"actuator", facts.description.actuators(i).name()}});
  }
  all.counter("kinloop_watchdog_trips_total", "Plants that were given up: stuck, or gone.",
              status.state() == v1::PLANT_STATE_DEAD ? 1.0 : 0.0);
  all.counter("kinloop_failed_steps_total", "Steps that failed.", number(status.failed_steps()));
  all.counter("kinloop_fallbacks_total", "Answers of another formulation, since one failed its check.",
              number(status.fallbacks()));
  all.counter("kinloop_coarse_steps_total", "Steps that were too long for the motion.", number(status.coarse_steps()));
  all.counter("kinloop_actuators_made_safe_total", "Times that an actuator was made safe.",
              number(status.actuators_made_safe()));
  all.gauge("kinloop_actuators_safe", "Actuators that are safe now, whatever made them so.",
            number(status.actuators_safe_size()));
  all.gauge("kinloop_actuators_stopped", "Actuators that an emergency stop holds.",
            number(status.actuators_stopped_size()));
  all.counter("kinloop_commands_accepted_total", "Commands of which every value was taken.",
              number(status.commands_accepted()));
  all.counter("kinloop_commands_refused_total", "Commands or values that were refused.",
              number(status.commands_refused()));
  all.counter("kinloop_messages_refused_total", "Messages that io refused.", number(status.messages_refused()));
  all.counter("kinloop_frames_published_total", "Sensor frames that left io.", number(status.frames_published()));
  all.counter("kinloop_frames_dropped_total", "Sensor frames that the plant could not hand over.",
              number(status.frames_dropped()));
  all.counter("kinloop_record_dropped_total", "Messages that the record lost.", number(status.record_dropped()));
  all.counter("kinloop_page_faults_total", "Page faults of the stepping thread.", number(timing.page_faults()));
  all.gauge("kinloop_period_seconds", "Between two steps by the clock; 0 without one.",
            number(timing.period_ns()) * 1e-9);
  all.gauge("kinloop_plant_time_seconds", "The plant's own time.", status.time_s());
  all.gauge("kinloop_plant_running", "1 while it steps.", status.state() == v1::PLANT_STATE_RUNNING ? 1.0 : 0.0);
  all.gauge("kinloop_degraded_level", "How much work steps are spared; 0: none.", status.level());
  all.gauge("kinloop_active_faults", "Faults and overrides that are injected.", status.faults_size());
  if (status.has_energy()) add_energy(status.energy(), all);
  all.gauge("kinloop_leases", "Leases of actuators.", status.leases_size());
  all.gauge("kinloop_panel_pages", "Pages that are connected.", facts.pages);
  return all.text();
}

}  // namespace kinloop::gateway

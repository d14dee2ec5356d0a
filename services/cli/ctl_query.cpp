// Verbs that only look: describe, status, timing, plants.
#include <kinloop/client/discovery.hpp>

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "services/cli/ctl.hpp"
#include "services/cli/plant_text.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

constexpr console::Align kRight = console::Align::kRight;

using FillQuery = void (*)(v1::ControlRequest&);
using Report = std::function<void(const v1::ControlReply&, const v1::Description&, const console::Console&)>;

void print_signals(const v1::Description& plant, const console::Console& console) {
  console::Table actuators({{"actuator"}, {"unit"}, {"limits"}, {"kind"}, {"joint"}, {"when stale"}});
  for (const v1::Actuator& one : plant.actuators()) {
    const std::string stale =
        one.max_age_s() > 0.0 ? one.when_stale() + " after " + seconds_text(one.max_age_s()) : "-";
    actuators.add({one.name(), one.unit(), limits_text(one.lower(), one.upper()), one.kind(), one.joint(), stale});
  }
  if (plant.actuators_size() > 0) {
    console.out << "\n";
    actuators.print(console.out);
  }
  console::Table sensors({{"sensor"}, {"unit"}, {"limits"}, {"signal"}, {"Hz", kRight}, {"delay", kRight}});
  for (const v1::Sensor& one : plant.sensors()) {
    sensors.add({one.name(), one.unit(), limits_text(one.lower(), one.upper()), one.signal(),
                 console::plain_number(one.rate_hz()), one.delay_s() > 0.0 ? seconds_text(one.delay_s()) : "-"});
  }
  if (plant.sensors_size() > 0) {
    console.out << "\n";
    sensors.print(console.out);
  }
}

void report_description(const v1::Description& plant, client::Transport transport, const console::Console& console) {
  console.out << console.on_out(plant.rig(), console::Style::kBold) << ": model " << plant.model() << ", "
              << word_of(plant.mode()) << ", steps of " << seconds_text(plant.dt_s()) << ", frames at "
              << console::plain_number(plant.frame_rate_hz()) << " Hz, kinloop " << plant.program() << "\n";
  print_signals(plant, console);
  if (plant.parameters_size() > 0) {
    console::Table parameters({{"parameter"}, {"value"}});
    for (const v1::Parameter& one : plant.parameters()) parameters.add({one.name(), one.value()});
    console.out << "\n";
    parameters.print(console.out);
  }
  if (plant.bodies_size() > 0) {
    console.out << "\nbodies:";
    for (const std::string& body : plant.bodies()) console.out << " " << body;
    console.out << "\n";
  }
  console::Table sockets({{"socket"}, {"address"}});
  for (const v1::Endpoint& one : plant.endpoints()) {
    sockets.add({one.socket(), one.address()}, one.server_key().empty() ? "" : "CURVE");
  }
  console.out << "\n";
  sockets.print(console.out);
  const bool is_shared = transport == client::Transport::kAutomatic && !client::reachable_lane(plant).empty();
  console.out << "\ntransport: " << (is_shared ? "shm (frames of who holds a lease)" : "sockets") << "\n";
}

/// Only what is not zero.
void report_energy(const v1::EnergyAccount& energy, const console::Console& console) {
  console::Table table({{"energy since " + seconds_text(energy.since_s())}, {"J", kRight}});
  const auto add = [&](const char* what, double joule) {
    if (joule != 0.0) table.add({what, console::short_number(joule)});
  };
  add("kinetic", energy.kinetic());
  add("gravity", energy.gravity());
  add("elastic", energy.elastic());
  add("lost in dampers", energy.lost_in_dampers());
  add("lost in friction", energy.lost_in_friction());
  add("lost in end stops", energy.lost_in_stops());
  add("lost in contacts", energy.lost_in_contacts());
  add("lost in ropes", energy.lost_in_ropes());
  add("work of actuators", energy.work_of_actuators());
  add("work of driven joints", energy.work_of_drives());
  add("work from outside", energy.work_from_outside());
  add("work of the projection", energy.work_of_projection());
  add("rest: the integrator", energy.rest());
  table.print(console.out);
}

void report_status(const v1::ControlReply& reply, const v1::Description& plant, const console::Console& console) {
  const v1::Status& status = reply.status();
  const bool is_well = status.state() == v1::PLANT_STATE_RUNNING;
  console.out << console.on_out(plant.rig(), console::Style::kBold) << ": "
              << console.on_out(word_of(status.state()), is_well ? console::Style::kGood : console::Style::kWarning)
              << ", step " << status.step() << ", " << console::plain_number(status.time_s()) << " s, level "
              << status.level() << "\n";
  if (const std::string stop = stop_text(status, plant); !stop.empty()) {
    console.out << console.on_out(stop, console::Style::kBad) << "\n";
  }
  console::Table table({{"", console::Align::kLeft}, {"", kRight}});
  const auto add = [&](const char* what, std::int64_t count) { table.add({what, std::to_string(count)}); };
  add("overruns", status.overruns());
  add("failed steps", status.failed_steps());
  add("fallbacks", status.fallbacks());
  add("coarse steps", status.coarse_steps());
  add("commands accepted", status.commands_accepted());
  add("commands refused", status.commands_refused());
  add("actuators made safe", status.actuators_made_safe());
  add("safe now", status.actuators_safe_size());
  add("messages refused", status.messages_refused());
  add("frames published", status.frames_published());
  add("frames dropped", status.frames_dropped());
  table.print(console.out);
  if (status.has_energy()) report_energy(status.energy(), console);
  for (const v1::Lease& lease : status.leases()) {
    console.out << "lease: " << printable(lease.holder()) << " holds";
    for (const std::string& name : lease.actuators()) console.out << " " << name;
    console.out << ", " << seconds_text(lease.time_left_s()) << " left\n";
  }
  for (const v1::ActiveFault& fault : status.faults()) {
    console.out << console.on_out("fault: " + fault.signal() + " " + fault.kind(), console::Style::kWarning) << "\n";
  }
  if (!status.recording().empty()) {
    console.out << "recording: " << status.recording() << ", " << status.record_dropped() << " dropped\n";
  }
  if (!status.record_trouble().empty()) {
    console.out << console.on_out("record: " + printable(status.record_trouble()), console::Style::kBad) << "\n";
  }
}

std::vector<std::string> row_of(const std::string& name, const v1::Spread& spread) {
  const auto us = [](std::int64_t duration_ns) { return microseconds(static_cast<double>(duration_ns)); };
  return {name,
          us(spread.min()),
          microseconds(spread.mean()),
          us(spread.p50()),
          us(spread.p99()),
          us(spread.p999()),
          us(spread.max())};
}

void report_timing(const v1::ControlReply& reply, const v1::Description& plant, const console::Console& console) {
  const v1::Timing& timing = reply.timing();
  console.out << console.on_out(plant.rig(), console::Style::kBold) << ": " << timing.steps() << " steps, period "
              << microseconds(static_cast<double>(timing.period_ns())) << " us, " << timing.overruns() << " overruns\n";
  console::Table table({{"us"},
                        {"min", kRight},
                        {"mean", kRight},
                        {"p50", kRight},
                        {"p99", kRight},
                        {"p99.9", kRight},
                        {"max", kRight}});
  table.add(row_of("wake-up", timing.wakeup_ns()));
  table.add(row_of("execution", timing.execution_ns()));
  table.add(row_of("period", timing.period_spread_ns()));
  table.add(row_of("slack", timing.slack_ns()));
  table.print(console.out);
  console.out << "thread: " << timing.page_faults() << " page faults, " << timing.preemptions() << " preemptions\n";
}

int print_plants(const CtlOptions& options, const console::Console& console) {
  const auto plants = client::running_plants(client::default_runtime_folder());
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const client::RunningPlant& one : plants) {
      list.push_back(
          {{"name", one.name}, {"rig", one.rig}, {"mode", one.mode}, {"pid", one.pid}, {"control", one.control}});
    }
    console.out << list.dump(2) << "\n";
    return console::kDone;
  }
  if (plants.empty()) {
    console.out << "no plant runs on this host\n";
    return console::kDone;
  }
  console::Table table({{"plant"}, {"mode"}, {"pid", kRight}, {"control socket"}});
  for (const client::RunningPlant& one : plants) table.add({one.name, one.mode, std::to_string(one.pid), one.control});
  table.print(console.out);
  return console::kDone;
}

void add_look(CLI::App& ctl, const SharedCtlOptions& common, Job& job, const char* name, const char* about,
              FillQuery fill, const Report& report) {
  ctl.add_subcommand(name, about)->fallthrough()->callback([common, &job, fill, report] {
    job = [common, fill, report](const console::Console& console) {
      return run_exchange(*common,
                          {[fill](const v1::Description&) -> Result<v1::ControlRequest> {
                             v1::ControlRequest request;
                             fill(request);
                             return request;
                           },
                           [report](const v1::ControlReply& reply, const v1::Description& plant,
                                    const console::Console& to) -> std::optional<Error> {
                             report(reply, plant, to);
                             return std::nullopt;
                           }},
                          console);
    };
  });
}

}  // namespace

void add_ctl_query(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  CLI::App* plants = ctl.add_subcommand("plants", "which run on this host");
  plants->fallthrough()->callback(
      [common, &job] { job = [common](const console::Console& console) { return print_plants(*common, console); }; });
  add_look(
      ctl, common, job, "describe", "what the plant is: signals, limits, parameters, sockets",
      [](v1::ControlRequest& request) { request.mutable_describe(); },
      [common](const v1::ControlReply& reply, const v1::Description&, const console::Console& console) {
        report_description(reply.description(), common->transport, console);
      });
  add_look(
      ctl, common, job, "status", "state, counters, leases, faults",
      [](v1::ControlRequest& request) { request.mutable_status(); }, report_status);
  add_look(
      ctl, common, job, "timing", "how the plant keeps its times",
      [](v1::ControlRequest& request) { request.mutable_timing(); }, report_timing);
}

}  // namespace kinloop::cli

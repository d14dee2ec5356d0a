// What is done to a plant to see how a controller takes it: faults, overrides, forces.
#include <CLI/CLI.hpp>
#include <array>
#include <ostream>

#include "core/base/nearest_name.hpp"
#include "services/cli/ctl.hpp"
#include "services/cli/ctl_values.hpp"
#include "services/cli/plant_text.hpp"

namespace kinloop::cli {
namespace {

enum class FaultValue { kNone, kSignal, kSignalPerSecond, kTime, kShare };

struct FaultWord {
  std::string_view word;
  v1::FaultKind kind;
  FaultValue value;
};

constexpr std::array<FaultWord, 8> kFaultWords{{{"off", v1::FAULT_KIND_OFF, FaultValue::kNone},
                                                {"stuck", v1::FAULT_KIND_STUCK, FaultValue::kNone},
                                                {"bias", v1::FAULT_KIND_BIAS, FaultValue::kSignal},
                                                {"drift", v1::FAULT_KIND_DRIFT, FaultValue::kSignalPerSecond},
                                                {"noise", v1::FAULT_KIND_NOISE, FaultValue::kSignal},
                                                {"wrong_sign", v1::FAULT_KIND_WRONG_SIGN, FaultValue::kNone},
                                                {"delay", v1::FAULT_KIND_DELAY, FaultValue::kTime},
                                                {"drop", v1::FAULT_KIND_DROP, FaultValue::kShare}}};

struct FaultOptions {
  std::string signal, kind, value, time;
};

Result<FaultWord> find_fault(const std::string& word) {
  std::vector<std::string_view> words;
  for (const FaultWord& one : kFaultWords) {
    if (one.word == word) return one;
    words.push_back(one.word);
  }
  return Error{word, "is no kind of fault" + did_you_mean(word, words) + " (" + quoted_list(words) + ")"};
}

Result<double> read_fault_value(const FaultWord& fault, const std::string& text, const std::string& unit) {
  const std::string word(fault.word);
  if (fault.value == FaultValue::kNone) {
    if (!text.empty()) return Error{text, "a fault '" + word + "' has no value"};
    return 0.0;
  }
  if (text.empty()) return Error{word, "this fault needs a value: kinloop ctl fault --help"};
  switch (fault.value) {
    case FaultValue::kTime:
      return read_value(word, text, "s");
    case FaultValue::kShare:
      return read_value(word, text, "");
    case FaultValue::kSignalPerSecond:
      return read_value(word, text, unit.empty() ? "1/s" : unit + "/s");
    default:
      return read_value(word, text, unit);
  }
}

Result<v1::ControlRequest> fault_request(const FaultOptions& options, const v1::Description& plant) {
  const Result<FaultWord> fault = find_fault(options.kind);
  if (!fault) return fault.error();
  const Result<std::string> unit = unit_of_signal(plant, options.signal);
  if (!unit) return unit.error();
  const Result<double> value = read_fault_value(*fault, options.value, *unit);
  if (!value) return value.error();
  const Result<double> time_s = read_optional_time("--for", options.time);
  if (!time_s) return time_s.error();
  v1::ControlRequest request;
  v1::InjectFaultRequest& injected = *request.mutable_inject_fault();
  injected.set_signal(options.signal);
  injected.set_kind(fault->kind);
  injected.set_value(*value);
  injected.set_duration_s(*time_s);
  return request;
}

/// Of an option that was read before.
double asked_time(const std::string& text) {
  const Result<double> time_s = read_optional_time("--for", text);
  return time_s ? *time_s : 0.0;
}

void add_fault(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto options = std::make_shared<FaultOptions>();
  CLI::App* verb = ctl.add_subcommand("fault", "a fault of a sensor or an actuator");
  verb->fallthrough();
  verb->add_option("SIGNAL", options->signal, "a sensor or an actuator")->required();
  verb->add_option("KIND", options->kind, "off, stuck, bias, drift, noise, wrong_sign, delay or drop")->required();
  verb->add_option("VALUE", options->value, "of bias, drift, noise, delay or drop");
  verb->add_option("--for", options->time, "how long, with or without a unit (default: until it is cleared)");
  verb->footer(
      "VALUE: bias and noise (its standard deviation) in the signal's unit, drift per second, delay a time,\n"
      "drop the share of samples that is lost, 0 to 1.\n"
      "\n"
      "examples:\n"
      "  kinloop ctl fault crank_angle bias \"2 deg\" --for \"200 ms\"\n"
      "  kinloop ctl fault motor off\n"
      "  kinloop ctl fault crank_speed drop 0.3");
  verb->callback([common, &job, options] {
    job = [common, options](const console::Console& console) {
      return run_exchange(*common,
                          {[options](const v1::Description& plant) { return fault_request(*options, plant); },
                           [options](const v1::ControlReply& reply, const v1::Description&,
                                     const console::Console& to) -> std::optional<Error> {
                             to.out << options->signal << ": " << options->kind << " from step " << reply.step();
                             const std::uint64_t until = reply.fault().until_step();
                             to.out << (until == 0 ? " until it is cleared" : " to step " + std::to_string(until))
                                    << "\n";
                             return std::nullopt;
                           }},
                          console);
    };
  });
}

void add_clear(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto signal = std::make_shared<std::string>();
  CLI::App* verb = ctl.add_subcommand("clear", "end faults and overrides of a signal, or all of them and all forces");
  verb->fallthrough();
  verb->add_option("SIGNAL", *signal, "which (default: all)");
  verb->callback([common, &job, signal] {
    job = [common, signal](const console::Console& console) {
      return run_exchange(*common,
                          {[signal](const v1::Description& plant) -> Result<v1::ControlRequest> {
                             if (!signal->empty()) {
                               if (const auto unit = unit_of_signal(plant, *signal); !unit) return unit.error();
                             }
                             v1::ControlRequest request;
                             request.mutable_clear_faults()->set_signal(*signal);
                             return request;
                           },
                           [signal](const v1::ControlReply& reply, const v1::Description& plant,
                                    const console::Console& to) -> std::optional<Error> {
                             to.out << (signal->empty() ? plant.rig() : *signal) << ": cleared" << at_step(reply)
                                    << "\n";
                             return std::nullopt;
                           }},
                          console);
    };
  });
}

struct OverrideOptions {
  std::string signal, value, time;
};

Result<v1::ControlRequest> override_request(const OverrideOptions& options, const v1::Description& plant) {
  const Result<std::string> unit = unit_of_signal(plant, options.signal);
  if (!unit) return unit.error();
  const Result<double> time_s = read_optional_time("--for", options.time);
  if (!time_s) return time_s.error();
  v1::ControlRequest request;
  request.mutable_override()->set_signal(options.signal);
  if (options.value == "off") {
    request.mutable_override()->set_off(true);
    return request;
  }
  const Result<double> value = read_value(options.signal, options.value, *unit);
  if (!value) return value.error();
  request.mutable_override()->set_value(*value);
  request.mutable_override()->set_duration_s(*time_s);
  return request;
}

void add_override(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto options = std::make_shared<OverrideOptions>();
  CLI::App* verb = ctl.add_subcommand("override", "a value instead of a signal's own");
  verb->fallthrough();
  verb->add_option("SIGNAL", options->signal, "a sensor or an actuator")->required();
  verb->add_option("VALUE", options->value, "with or without a unit; off takes it back")->required();
  verb->add_option("--for", options->time, "how long (default: until it is taken back)");
  verb->footer(
      "examples:\n"
      "  kinloop ctl override crank_speed \"-3 rad/s\" --for 1\n"
      "  kinloop ctl override crank_speed off");
  verb->callback([common, &job, options] {
    job = [common, options](const console::Console& console) {
      return run_exchange(*common,
                          {[options](const v1::Description& plant) { return override_request(*options, plant); },
                           [options](const v1::ControlReply& reply, const v1::Description&,
                                     const console::Console& to) -> std::optional<Error> {
                             const bool is_off = options->value == "off";
                             const double time_s = asked_time(options->time);
                             to.out << options->signal << ": "
                                    << (is_off ? "its own value again" : "overridden by " + options->value)
                                    << at_step(reply)
                                    << (is_off || time_s == 0.0 ? "" : ", for " + seconds_text(time_s)) << "\n";
                             return std::nullopt;
                           }},
                          console);
    };
  });
}

struct ForceOptions {
  std::string body, time;
  std::vector<std::string> force, point, moment;
};

Result<v1::ControlRequest> force_request(const ForceOptions& options, const v1::Description& plant) {
  v1::ControlRequest request;
  v1::ApplyForceRequest& applied = *request.mutable_apply_force();
  if (const Result<std::string> body = known_body(plant, options.body); !body) return body.error();
  applied.set_body(options.body);
  const auto read = [](const char* where, const auto& texts, const char* unit, auto* to) -> std::optional<Error> {
    const Result<std::vector<double>> numbers = read_vector(where, texts, unit);
    if (!numbers) return numbers.error();
    to->Add(numbers->begin(), numbers->end());
    return std::nullopt;
  };
  if (const auto error = read("force", options.force, "N", applied.mutable_force())) return *error;
  if (const auto error = read("--at", options.point, "m", applied.mutable_point())) return *error;
  if (const auto error = read("--moment", options.moment, "N m", applied.mutable_moment())) return *error;
  const Result<double> time_s = read_optional_time("--for", options.time);
  if (!time_s) return time_s.error();
  applied.set_duration_s(*time_s);
  return request;
}

void add_force(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto options = std::make_shared<ForceOptions>();
  CLI::App* verb = ctl.add_subcommand("force", "push a body, in world axes");
  verb->fallthrough();
  verb->add_option("BODY", options->body)->required();
  verb->add_option("FX FY FZ", options->force, "N, or with a unit")->expected(3)->required();
  verb->add_option("--at", options->point, "where, in the body's frame (default: its origin)")->expected(3);
  verb->add_option("--moment", options->moment, "Nm")->expected(3);
  verb->add_option("--for", options->time, "how long (default: one step)");
  verb->footer(
      "examples:\n"
      "  kinloop ctl force coupler 0 0 -20\n"
      "  kinloop ctl force crank \"1 kN\" 0 0 --at 0.1 0 0 --for \"50 ms\"");
  verb->callback([common, &job, options] {
    job = [common, options](const console::Console& console) {
      return run_exchange(*common,
                          {[options](const v1::Description& plant) { return force_request(*options, plant); },
                           [options](const v1::ControlReply& reply, const v1::Description&,
                                     const console::Console& to) -> std::optional<Error> {
                             const double time_s = asked_time(options->time);
                             to.out << options->body << ": pushed" << at_step(reply) << ", "
                                    << (time_s > 0.0 ? "for " + seconds_text(time_s) : "for one step") << "\n";
                             return std::nullopt;
                           }},
                          console);
    };
  });
}

}  // namespace

void add_ctl_disturbances(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  add_fault(ctl, common, job);
  add_clear(ctl, common, job);
  add_override(ctl, common, job);
  add_force(ctl, common, job);
}

}  // namespace kinloop::cli

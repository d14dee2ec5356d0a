// A plant by hand: send commands for a while, watch sensors.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <optional>
#include <ostream>
#include <thread>

#include "services/cli/ctl.hpp"
#include "services/cli/ctl_values.hpp"
#include "services/cli/plant_text.hpp"
#include "services/cli/time_argument.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

using Clock = std::chrono::steady_clock;
using client::Plant;
using Stops = std::function<bool()>;

struct SendOptions {
  std::vector<std::string> texts;
  std::string time = "1 s";
  bool rearm = false;
};

struct Commands {
  std::vector<std::string> names;
  std::vector<double> values;
};

Result<Commands> read_commands(const std::vector<std::string>& texts, const v1::Description& plant) {
  Commands commands;
  for (const std::string& text : texts) {
    const Result<Assignment> assignment = read_assignment(text);
    if (!assignment) return assignment.error();
    const Result<int> index = actuator_index(plant, assignment->name);
    if (!index) return index.error();
    const Result<double> value = read_value(assignment->name, assignment->value, plant.actuators(*index).unit());
    if (!value) return value.error();
    const v1::Actuator& actuator = plant.actuators(*index);
    if (*value < actuator.lower() || *value > actuator.upper()) {
      const std::string unit = actuator.unit().empty() ? "" : " " + actuator.unit();
      return Error{assignment->name, "'" + assignment->value + "' is beyond its limits, " +
                                         limits_text(actuator.lower(), actuator.upper()) + unit +
                                         ": the plant would not take it"};
    }
    commands.names.push_back(assignment->name);
    commands.values.push_back(*value);
  }
  return commands;
}

/// The values in the order that the lease has.
std::vector<double> ordered(const Commands& commands, const std::vector<std::string>& order) {
  std::vector<double> values;
  for (const std::string& name : order) {
    const auto found = std::find(commands.names.begin(), commands.names.end(), name);
    values.push_back(found == commands.names.end()
                         ? 0.0
                         : commands.values[static_cast<std::size_t>(found - commands.names.begin())]);
  }
  return values;
}

bool is_stale(const v1::SensorFrame& frame) { return (frame.flags() & v1::FRAME_FLAG_STALE) != 0; }

/// What frames tell of the commands that are sent.
class Obedience {
 public:
  void see(const v1::SensorFrame& frame) {
    some_are_safe_ = is_stale(frame);
    if (!first_) first_ = frame.command_sequence();
    is_obeyed_ = is_obeyed_ || frame.command_sequence() != *first_;
  }
  /// Nothing was seen of actuators that are safe.
  bool is_rearmed() const noexcept { return first_ && !some_are_safe_; }
  bool some_are_safe() const noexcept { return some_are_safe_; }
  /// Some are safe, and no command came into force.
  bool is_ignored() const noexcept { return some_are_safe_ && !is_obeyed_; }

 private:
  std::optional<std::uint64_t> first_;  // sequence in force
  bool some_are_safe_ = false, is_obeyed_ = false;
};

/// Sends until the count is reached, somebody stops it or the plant objects. A frame may be lost: to re-arm is asked
/// for until it is seen to be done.
std::optional<client::Error> send_frames(Plant& plant, const std::vector<double>& values, std::uint64_t frames,
                                         bool rearm, const Stops& stops, Obedience& obedience) {
  const bool is_lockstep = plant.description().mode() == v1::MODE_LOCKSTEP;
  const double rate_hz = plant.description().frame_rate_hz();
  const auto period = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1.0 / rate_hz));
  Clock::time_point due = Clock::now();
  for (std::uint64_t i = 0; i < frames && !stops(); ++i) {
    const std::uint64_t bits = rearm && !obedience.is_rearmed() ? ~std::uint64_t{0} : 0;
    if (is_lockstep) {
      const auto frame = plant.step(values, bits);
      if (!frame) return frame.error();
      obedience.see(**frame);
      continue;
    }
    if (const auto sent = plant.send(values, bits); !sent) return sent.error();
    if (const v1::SensorFrame* frame = plant.recv(std::chrono::milliseconds(0))) obedience.see(*frame);
    due += period;
    std::this_thread::sleep_until(due);
  }
  return std::nullopt;
}

/// Commands do not move an actuator that was made safe, which nobody would see else.
int tell_of_safe_actuators(const Plant& plant, const Obedience& obedience, const console::Console& console) {
  const Error said{
      plant.description().rig(),
      "actuators that were made safe do not move until they are re-armed: --rearm; after an emergency stop "
      "kinloop ctl rearm comes first"};
  if (obedience.is_ignored()) {
    console::print_errors(console, {said}, "");
    return console::kBadInput;
  }
  if (obedience.some_are_safe()) console::print_warnings(console, {said});
  return console::kDone;
}

int run_send(const CtlOptions& common, const SendOptions& options, const console::Console& console) {
  return with_plant(common, console, [&](Plant& plant, const Stops& stops) -> int {
    const Result<Commands> commands = read_commands(options.texts, plant.description());
    const Result<double> time_s = read_time("--for", options.time);
    if (!commands || !time_s) {
      console::print_errors(console, {commands ? time_s.error() : commands.error()}, "");
      return console::kBadInput;
    }
    const auto lease = plant.acquire(commands->names);
    if (!lease) return fail(common, lease.error(), console);
    const double rate_hz = plant.description().frame_rate_hz();
    const double frames = std::ceil(*time_s * (rate_hz > 0.0 ? rate_hz : 1.0));
    Obedience obedience;
    const auto error = send_frames(plant, ordered(*commands, lease->actuators),
                                   static_cast<std::uint64_t>(std::min(frames, 1e15)), options.rearm, stops, obedience);
    const std::uint64_t sent = plant.counters().frames_sent;
    const auto released = plant.release();
    if (error) return fail(common, *error, console);
    if (!released && !stops()) return fail(common, released.error(), console);
    if (!common.json) {
      console.out << plant.description().rig() << ": sent " << sent << " frames, released"
                  << (released && released->step > 0 ? " at step " + std::to_string(released->step) : "") << "\n";
    } else {
      console.out << "{\"framesSent\": " << sent << "}\n";
    }
    return tell_of_safe_actuators(plant, obedience, console);
  });
}

struct WatchOptions {
  std::vector<std::string> sensors;
  std::string rate = "5 Hz";
  std::string time;
  std::uint64_t count = 0;
};

Result<std::vector<int>> watched_sensors(const WatchOptions& options, const v1::Description& plant) {
  std::vector<int> indices;
  for (const std::string& name : options.sensors) {
    const Result<int> index = sensor_index(plant, name);
    if (!index) return index.error();
    indices.push_back(*index);
  }
  if (indices.empty()) {
    for (int i = 0; i < plant.sensors_size(); ++i) indices.push_back(i);
  }
  return indices;
}

/// Columns of one width, since rows come one at a time.
class Rows {
 public:
  Rows(std::vector<int> sensors, const v1::Description& plant, const console::Console& console)
      : sensors_(std::move(sensors)), console_(console) {
    std::string head = padded("step", kNumberWidth) + padded("s", kNumberWidth);
    for (const int sensor : sensors_) {
      std::string title = plant.sensors(sensor).name();
      if (!plant.sensors(sensor).unit().empty()) title += "/" + plant.sensors(sensor).unit();
      widths_.push_back(std::max(kNumberWidth, title.size() + 2));
      head += padded(title, widths_.back());
    }
    console_.out << console_.on_out(head, console::Style::kBold) << "\n";
  }

  void print(const v1::SensorFrame& frame) const {
    std::string line = padded(std::to_string(frame.step()), kNumberWidth) +
                       padded(console::plain_number(frame.time_s()), kNumberWidth);
    for (std::size_t i = 0; i < sensors_.size(); ++i) {
      const bool is_flagged = sensor_flags(frame, sensors_[i]) != 0;
      line += padded(console::plain_number(frame.value(sensors_[i])) + (is_flagged ? "!" : ""), widths_[i]);
    }
    const std::string flags = frame_flag_words(frame.flags());
    console_.out << line << (flags.empty() ? "" : "  " + flags) << "\n" << std::flush;
  }

 private:
  static constexpr std::size_t kNumberWidth = 13;
  static std::string padded(const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 1, ' ') + text;
  }

  std::vector<int> sensors_;
  std::vector<std::size_t> widths_;
  const console::Console& console_;
};

/// A plant that is paused shows no frames either, but answers.
std::optional<client::Error> why_silent(Plant& plant) {
  const auto status = plant.status();
  if (!status) return status.error();
  const bool is_over = status->state() == v1::PLANT_STATE_DEAD || status->state() == v1::PLANT_STATE_ENDED;
  if (!is_over) return std::nullopt;
  return client::Error{client::ErrorKind::kNoAnswer, "the plant is " + word_of(status->state())};
}

int run_watch(const CtlOptions& common, const WatchOptions& options, const console::Console& console) {
  return with_plant(common, console, [&](Plant& plant, const Stops& stops) -> int {
    const auto sensors = watched_sensors(options, plant.description());
    const Result<double> rate_hz = read_value("--rate", options.rate, "Hz");
    const Result<double> time_s = read_optional_time("--for", options.time);
    std::vector<Error> errors;
    if (!sensors) errors.push_back(sensors.error());
    if (!rate_hz) errors.push_back(rate_hz.error());
    if (!time_s) errors.push_back(time_s.error());
    if (!errors.empty()) return (console::print_errors(console, errors, ""), console::kBadInput);
    if (const auto rate = plant.subscribe(*rate_hz); !rate) return fail(common, rate.error(), console);

    std::optional<Rows> rows;
    if (!common.json) rows.emplace(*sensors, plant.description(), console);
    const auto begin = Clock::now();
    const auto is_over = [&] { return *time_s > 0.0 && Clock::now() - begin > std::chrono::duration<double>(*time_s); };
    constexpr std::chrono::seconds kSilence{2};
    Clock::time_point heard = begin;
    for (std::uint64_t seen = 0; (options.count == 0 || seen < options.count) && !stops() && !is_over();) {
      const v1::SensorFrame* frame = plant.recv(std::chrono::milliseconds(100), client::Which::kNext);
      if (frame == nullptr) {
        if (Clock::now() - heard < kSilence) continue;
        if (const auto error = why_silent(plant); error && !stops()) return fail(common, *error, console);
        heard = Clock::now();
        continue;
      }
      heard = Clock::now();
      ++seen;
      if (rows) {
        rows->print(*frame);
      } else {
        console.out << json_line(*frame) << "\n" << std::flush;
      }
    }
    return console::kDone;
  });
}

}  // namespace

void add_ctl_drive(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto send_options = std::make_shared<SendOptions>();
  CLI::App* send = ctl.add_subcommand("send", "try actuators by hand: acquire, send for a while, release");
  send->fallthrough();
  send->add_option("NAME=VALUE", send_options->texts, "actuators, with or without units")->required();
  send->add_option("--for", send_options->time, "how long (default: 1 s)");
  send->add_flag("--rearm", send_options->rearm,
                 "they may move again if they were made safe; asked for until it is seen to be done");
  send->footer(
      "Frames are sent at the plant's frame rate; in lockstep each one releases a step.\n"
      "\n"
      "example:\n"
      "  kinloop ctl send motor=\"12 V\" --for \"500 ms\"");
  send->callback([common, &job, send_options] {
    job = [common, send_options](const console::Console& console) { return run_send(*common, *send_options, console); };
  });

  auto watch_options = std::make_shared<WatchOptions>();
  CLI::App* watch = ctl.add_subcommand("watch", "print sensors as they come; a value with ! is flagged");
  watch->fallthrough();
  watch->add_option("SENSOR", watch_options->sensors, "which (default: all)");
  watch->add_option("--rate", watch_options->rate, "rows a second, or the nearest lower rate (default: 5 Hz; 0: all)");
  watch->add_option("--for", watch_options->time, "how long (default: until Ctrl-C)");
  watch->add_option("-n,--count", watch_options->count, "so many rows");
  watch->footer(
      "examples:\n"
      "  kinloop ctl watch crank_angle crank_speed --rate \"10 Hz\"\n"
      "  kinloop ctl --json watch -n 100 | jq .value");
  watch->callback([common, &job, watch_options] {
    job = [common, watch_options](const console::Console& console) {
      return run_watch(*common, *watch_options, console);
    };
  });
}

}  // namespace kinloop::cli

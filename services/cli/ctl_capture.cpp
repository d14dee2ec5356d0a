// The steps around an event: capture.
#include <CLI/CLI.hpp>
#include <array>
#include <ostream>
#include <sstream>

#include "core/base/nearest_name.hpp"
#include "services/base/write_file.hpp"
#include "services/cli/ctl.hpp"
#include "services/cli/ctl_values.hpp"
#include "services/cli/plant_text.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

struct CaptureOptions {
  std::string sensor, condition, level, csv, patience;
  std::uint32_t before = 0, after = 0;
};

Result<v1::Condition> find_condition(const std::string& word) {
  static constexpr std::array<std::pair<std::string_view, v1::Condition>, 4> kWords{
      {{"rises", v1::CONDITION_RISES},
       {"falls", v1::CONDITION_FALLS},
       {"crosses", v1::CONDITION_CROSSES},
       {"flagged", v1::CONDITION_FLAGGED}}};
  std::vector<std::string_view> words;
  for (const auto& [name, condition] : kWords) {
    if (name == word) return condition;
    words.push_back(name);
  }
  return Error{word, "is no condition" + did_you_mean(word, words) + " (" + quoted_list(words) + ")"};
}

Result<v1::ControlRequest> capture_request(const CaptureOptions& options, const v1::Description& plant) {
  const Result<int> sensor = sensor_index(plant, options.sensor);
  if (!sensor) return sensor.error();
  const Result<v1::Condition> condition = find_condition(options.condition);
  if (!condition) return condition.error();
  v1::ControlRequest request;
  v1::CaptureRequest& capture = *request.mutable_capture();
  capture.set_sensor(options.sensor);
  capture.set_condition(*condition);
  if (*condition != v1::CONDITION_FLAGGED) {
    if (options.level.empty()) return Error{options.condition, "needs a level that the sensor passes"};
    const Result<double> level = read_value(options.sensor, options.level, plant.sensors(*sensor).unit());
    if (!level) return level.error();
    capture.set_level(*level);
  } else if (!options.level.empty()) {
    return Error{options.level, "'flagged' has no level"};
  }
  const Result<double> patience_s = read_optional_time("--patience", options.patience);
  if (!patience_s) return patience_s.error();
  capture.set_steps_before(options.before);
  capture.set_steps_after(options.after);
  capture.set_patience_s(*patience_s);
  return request;
}

std::string csv_of(const v1::CaptureReply& capture, const v1::Description& plant) {
  std::ostringstream out;
  out << "step,time_s";
  for (const v1::Sensor& sensor : plant.sensors()) out << "," << sensor.name();
  out << ",flags\n";
  const int sensors = plant.sensors_size();
  for (int r = 0; r < capture.steps_size(); ++r) {
    out << capture.steps(r) << "," << console::exact_number(capture.times_s(r));
    for (int c = 0; c < sensors; ++c) out << "," << console::exact_number(capture.values(r * sensors + c));
    out << "," << capture.flags(r) << "\n";
  }
  return out.str();
}

void print_rows(const v1::CaptureReply& capture, const v1::Description& plant, const console::Console& console) {
  std::vector<console::Table::Column> head{{"step", console::Align::kRight}, {"s", console::Align::kRight}};
  for (const v1::Sensor& sensor : plant.sensors()) head.push_back({sensor.name(), console::Align::kRight});
  console::Table table(std::move(head));
  const int sensors = plant.sensors_size();
  for (int r = 0; r < capture.steps_size(); ++r) {
    std::vector<std::string> cells{std::to_string(capture.steps(r)), console::plain_number(capture.times_s(r))};
    for (int c = 0; c < sensors; ++c) cells.push_back(console::plain_number(capture.values(r * sensors + c)));
    const std::string mark = capture.steps(r) == capture.trigger_step() ? "<- " : "";
    table.add(std::move(cells), mark + frame_flag_words(capture.flags(r)));
  }
  table.print(console.out);
}

std::optional<Error> report_capture(const CaptureOptions& options, const v1::CaptureReply& capture,
                                    const v1::Description& plant, const console::Console& console) {
  const int rows = capture.steps_size();
  if (capture.times_s_size() != rows || capture.flags_size() != rows ||
      capture.values_size() != rows * plant.sensors_size()) {
    return Error{"capture", "the answer's columns are of different lengths"};
  }
  console.out << options.sensor << " " << options.condition << (options.level.empty() ? "" : " " + options.level)
              << " at step " << capture.trigger_step() << "; " << rows << " steps\n";
  if (options.csv.empty()) {
    print_rows(capture, plant, console);
    return std::nullopt;
  }
  if (const auto failure = write_file(options.csv, csv_of(capture, plant))) return failure->error;
  console.out << "wrote " << options.csv << "\n";
  return std::nullopt;
}

}  // namespace

void add_ctl_capture(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto options = std::make_shared<CaptureOptions>();
  CLI::App* verb = ctl.add_subcommand("capture", "all sensors around the step at which one meets a condition");
  verb->fallthrough();
  verb->add_option("SENSOR", options->sensor)->required();
  verb->add_option("CONDITION", options->condition, "rises, falls, crosses (a level) or flagged")->required();
  verb->add_option("LEVEL", options->level, "with or without a unit");
  verb->add_option("--before", options->before, "steps before it (default: 0)");
  verb->add_option("--after", options->after, "steps after it (default: 0)");
  verb->add_option("--patience", options->patience, "how long to wait for it (default: 60 s); Ctrl-C ends the wait");
  verb->add_option("--csv", options->csv, "file to write, instead of a table");
  verb->footer(
      "examples:\n"
      "  kinloop ctl capture crank_angle rises \"90 deg\" --before 20 --after 80 --csv around.csv\n"
      "  kinloop ctl capture crank_speed flagged --before 5     an overrun, a stale command, a fault");
  verb->callback([common, &job, options] {
    job = [common, options](const console::Console& console) {
      return run_exchange(
          *common,
          {[options](const v1::Description& plant) { return capture_request(*options, plant); },
           [options](const v1::ControlReply& reply, const v1::Description& plant, const console::Console& to) {
             return report_capture(*options, reply.capture(), plant, to);
           }},
          console);
    };
  });
}

}  // namespace kinloop::cli

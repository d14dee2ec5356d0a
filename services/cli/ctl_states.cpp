// States that leave the plant and come back: snapshot, restore, linearize, trim.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "services/base/text_file.hpp"
#include "services/base/write_file.hpp"
#include "services/cli/ctl.hpp"
#include "services/cli/ctl_rollout.hpp"
#include "services/cli/ctl_values.hpp"
#include "services/cli/linear_json.hpp"
#include "services/cli/trim.hpp"
#include "services/console/table.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/wire/linear_codec.hpp"

namespace kinloop::cli {
namespace {

constexpr std::size_t kMaxSnapshotBytes = 256UL << 20;

std::optional<Error> write_whole(const std::string& file, std::string_view bytes) {
  const auto failure = write_file(file, bytes);
  return failure ? std::optional(failure->error) : std::nullopt;
}

void add_snapshot(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto file = std::make_shared<std::string>();
  CLI::App* verb = ctl.add_subcommand("snapshot", "keep the whole state in a file");
  verb->fallthrough();
  verb->add_option("FILE", *file, "to write")->required();
  verb->callback([common, &job, file] {
    job = [common, file](const console::Console& console) {
      return run_exchange(*common,
                          {[](const v1::Description&) -> Result<v1::ControlRequest> {
                             v1::ControlRequest request;
                             request.mutable_snapshot();
                             return request;
                           },
                           [file](const v1::ControlReply& reply, const v1::Description& plant,
                                  const console::Console& to) -> std::optional<Error> {
                             if (!reply.has_snapshot()) return Error{"snapshot", "the plant gave another answer"};
                             auto error = write_whole(*file, reply.snapshot().SerializeAsString());
                             if (error) return error;
                             to.out << plant.rig() << ": wrote " << *file << ", the state after step "
                                    << reply.snapshot().step() << " ("
                                    << console::plain_number(reply.snapshot().time_s()) << " s)\n";
                             return std::nullopt;
                           }},
                          console);
    };
  });
}

Result<v1::ControlRequest> restore_request(const std::string& file, const v1::Description& plant) {
  const Result<std::string> bytes = read_text_file(file, kMaxSnapshotBytes);
  if (!bytes) return bytes.error();
  Result<v1::Snapshot> snapshot = io::snapshot_in(*bytes);
  if (!snapshot) return Error{file, snapshot.error().what};
  if (snapshot->plant_hash() != plant.plant_hash()) {
    return Error{file, "is a snapshot of another plant (rig '" + snapshot->rig() +
                           "'), or of this one before its model or rig was changed"};
  }
  v1::ControlRequest request;
  *request.mutable_restore()->mutable_snapshot() = std::move(snapshot).value();
  return request;
}

void add_restore(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto file = std::make_shared<std::string>();
  CLI::App* verb = ctl.add_subcommand("restore", "back to the state of a snapshot");
  verb->fallthrough();
  verb->add_option("FILE", *file, "that snapshot wrote")->required();
  verb->callback([common, &job, file] {
    job = [common, file](const console::Console& console) {
      return run_exchange(*common,
                          {[file](const v1::Description& plant) { return restore_request(*file, plant); },
                           [file](const v1::ControlReply& reply, const v1::Description& plant,
                                  const console::Console& to) -> std::optional<Error> {
                             to.out << plant.rig() << ": restored " << *file << at_step(reply) << "\n";
                             return std::nullopt;
                           }},
                          console);
    };
  });
}

void print_matrix(const char* name, const MatrixX& values, const std::vector<std::string>& rows,
                  const std::vector<std::string>& columns, std::ostream& out) {
  if (values.size() == 0) return;
  std::vector<console::Table::Column> head{{name}};
  for (const std::string& column : columns) head.push_back({column, console::Align::kRight});
  console::Table table(std::move(head));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells{rows[r]};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      cells.push_back(console::plain_number(values(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c))));
    }
    table.add(std::move(cells));
  }
  out << "\n";
  table.print(out);
}

std::optional<Error> report_linearization(const v1::ControlReply& reply, const v1::Description& plant,
                                          const std::string& file, const console::Console& console) {
  const Result<Linearization> linear = wire::linearization_of(reply.linearization());
  if (!linear) return linear.error();
  console.out << plant.rig() << ": x+ = A x + B u, y = C x+ + D u, steps of " << console::plain_number(linear->dt_s)
              << " s" << at_step(reply) << "\n";
  std::vector<Error> warnings;
  for (const std::string& warning : linear->warnings) warnings.push_back({plant.rig(), warning});
  console::print_warnings(console, warnings);
  if (!file.empty()) {
    if (auto error = write_whole(file, linear_json(plant.rig(), *linear))) return error;
    console.out << "wrote " << file << "\n";
    return std::nullopt;
  }
  print_matrix("A", linear->A, linear->states, linear->states, console.out);
  print_matrix("B", linear->B, linear->states, linear->inputs, console.out);
  print_matrix("C", linear->C, linear->outputs, linear->states, console.out);
  print_matrix("D", linear->D, linear->outputs, linear->inputs, console.out);
  return std::nullopt;
}

void add_state_options(CLI::App& verb, GivenState& from) {
  verb.add_option("--q", from.q, "coordinates to begin at, SI units, in the order of describe --json (default: now)");
  verb.add_option("--v", from.v, "speeds there");
}

struct LinearizeWishes {
  std::string file;
  GivenState at;
  std::vector<double> commands;
  std::string method, side;
  std::vector<std::string> independent, parameters;
};

void add_linearize(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto wishes = std::make_shared<LinearizeWishes>();
  CLI::App* verb =
      ctl.add_subcommand("linearize", "A, B, C, D of one step around the present state and commands, or given ones");
  verb->fallthrough();
  verb->add_option("-o,--out", wishes->file, "JSON file to write, instead of printing tables");
  add_state_options(*verb, wishes->at);
  verb->add_option("--command", wishes->commands, "one for each actuator, SI units (default: those in force)");
  verb->add_option("--method", wishes->method, "exact (default), or differences of the step itself");
  verb->add_option("--side", wishes->side, "of an edge it stands on, as a valve that just opens: below, above");
  verb->add_option("--parameters", wishes->parameters, "to differentiate by: mass.BODY, friction.*; with --out")
      ->delimiter(',');
  verb->add_option("--independent", wishes->independent, "coordinates to take as independent, comma in between")
      ->delimiter(',');
  verb->callback([common, &job, wishes] {
    job = [common, wishes](const console::Console& console) {
      return run_exchange(
          *common,
          {[wishes](const v1::Description&) -> Result<v1::ControlRequest> {
             v1::ControlRequest request;
             v1::LinearizeRequest& around = *request.mutable_linearize();
             around.set_method(wishes->method);
             around.set_side(wishes->side);
             around.mutable_independent()->Assign(wishes->independent.begin(), wishes->independent.end());
             around.mutable_parameters()->Assign(wishes->parameters.begin(), wishes->parameters.end());
             if (wishes->at.is_given()) wishes->at.put_into(*around.mutable_state());
             around.mutable_commands()->Add(wishes->commands.begin(), wishes->commands.end());
             return request;
           },
           [wishes](const v1::ControlReply& reply, const v1::Description& plant, const console::Console& to) {
             return report_linearization(reply, plant, wishes->file, to);
           }},
          console);
    };
  });
}

struct TrimWishes {
  GivenState from;
  std::vector<std::string> coordinates, speeds, commands;
  bool hold = false;
  std::string snapshot;
};

Result<v1::ControlRequest> trim_request(const TrimWishes& wishes) {
  v1::ControlRequest request;
  v1::TrimRequest& trim = *request.mutable_trim();
  const auto put = [](const char* option, const std::vector<std::string>& texts,
                      google::protobuf::RepeatedPtrField<v1::NamedNumber>& to) -> std::optional<Error> {
    const auto given = given_numbers(option, texts);
    if (!given) return given.error();
    for (const auto& [name, value] : *given) {
      to.Add()->set_name(name);
      to.rbegin()->set_value(value);
    }
    return std::nullopt;
  };
  if (auto error = put("--coordinate", wishes.coordinates, *trim.mutable_coordinates())) return *error;
  if (auto error = put("--speed", wishes.speeds, *trim.mutable_speeds())) return *error;
  if (auto error = put("--command", wishes.commands, *trim.mutable_commands())) return *error;
  trim.set_hold(wishes.hold);
  if (wishes.from.is_given()) wishes.from.put_into(*trim.mutable_state());
  return request;
}

std::optional<Error> report_trim(const v1::TrimReply& found, const v1::Description& plant, const std::string& file,
                                 const console::Console& console) {
  console.out << plant.rig() << ": " << (found.reached() ? "trimmed" : "not trimmed") << " after " << found.iterations()
              << " iterations, what is left changes by " << console::short_number(found.residual())
              << " of its size a second\n";
  console::Table table({{"command"}, {"is", console::Align::kRight}});
  for (int i = 0; i < std::min(plant.actuators_size(), found.commands_size()); ++i) {
    table.add({plant.actuators(i).name(), console::plain_number(found.commands(i))});
  }
  if (plant.actuators_size() > 0) table.print(console.out);
  console::Table places({{"coordinate"}, {"is", console::Align::kRight}});
  for (int i = 0; i < std::min(plant.coordinates_size(), found.state().q_size()); ++i) {
    places.add({plant.coordinates(i), console::plain_number(found.state().q(i))});
  }
  places.print(console.out);
  if (!file.empty()) {
    if (auto error = write_whole(file, found.snapshot().SerializeAsString())) return error;
    console.out << "wrote " << file << "\n";
  }
  if (found.reached()) return std::nullopt;
  std::string missing;
  for (const std::string& line : found.missing()) missing += (missing.empty() ? "" : "; ") + line;
  return Error{"trim", missing.empty() ? "is not reached" : missing};
}

void add_ctl_trim(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto wishes = std::make_shared<TrimWishes>();
  CLI::App* verb =
      ctl.add_subcommand("trim", "where the plant would stand still, or move on steadily, beside the plant");
  verb->fallthrough();
  verb->add_option("--coordinate", wishes->coordinates, "NAME=NUMBER: stays there, SI units; may be repeated");
  verb->add_option("--speed", wishes->speeds, "NAME=NUMBER: moves on so; speeds that are not named are zero");
  verb->add_option("--command", wishes->commands, "ACTUATOR=NUMBER: is given; the others are sought");
  verb->add_flag("--hold", wishes->hold, "all coordinates stay where they are");
  verb->add_option("--snapshot", wishes->snapshot, "to write, for ctl restore");
  add_state_options(*verb, wishes->from);
  verb->callback([common, &job, wishes] {
    job = [common, wishes](const console::Console& console) {
      return run_exchange(
          *common,
          {[wishes](const v1::Description&) { return trim_request(*wishes); },
           [wishes](const v1::ControlReply& reply, const v1::Description& plant, const console::Console& to) {
             return report_trim(reply.trim(), plant, wishes->snapshot, to);
           }},
          console);
    };
  });
}

void add_rollout(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  auto options = std::make_shared<RolloutOptions>();
  CLI::App* verb = ctl.add_subcommand("rollout", "what the plant would do: commands in, sensors out, beside the plant");
  verb->fallthrough();
  verb->add_option("FILE", options->file,
                   "CSV with a column for each actuator, a row for each command; - for standard input")
      ->required();
  verb->add_option("--steps", options->steps_per_command, "that each command is held (default: 1)")
      ->check(CLI::Range(1, 1000000));
  verb->add_option("-o,--out", options->out, "CSV to write (default: standard output)");
  add_state_options(*verb, options->from);
  verb->footer(
      "With a column 'sequence', rows of equal numbers are one sequence; each begins at the present state,\n"
      "or at the one that --q and --v give.\n"
      "\n"
      "example:\n"
      "  kinloop ctl rollout commands.csv --steps 10 -o future.csv");
  verb->callback([common, &job, options] {
    job = [common, options](const console::Console& console) {
      return run_exchange(
          *common,
          {[options](const v1::Description& plant) { return rollout_request(*options, plant); },
           [options](const v1::ControlReply& reply, const v1::Description& plant, const console::Console& to) {
             return report_rollout(*options, reply.rollout(), plant, to);
           }},
          console);
    };
  });
}

}  // namespace

void add_ctl_states(CLI::App& ctl, const SharedCtlOptions& common, Job& job) {
  add_snapshot(ctl, common, job);
  add_restore(ctl, common, job);
  add_linearize(ctl, common, job);
  add_rollout(ctl, common, job);
  add_ctl_trim(ctl, common, job);
}

}  // namespace kinloop::cli

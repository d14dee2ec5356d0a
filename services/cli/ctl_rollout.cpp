// Rows are times, columns are names: as every other CSV of Kinloop.
#include "services/cli/ctl_rollout.hpp"

#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>

#include "services/base/write_file.hpp"
#include "services/cli/ctl_values.hpp"
#include "services/console/table.hpp"
#include "services/plot/csv_reader.hpp"

namespace kinloop::cli {
namespace {

constexpr std::string_view kSequence = "sequence";

bool is_time(const std::string& column) { return column == "time_s" || column == "t" || column == "time"; }

/// Where each actuator's values stand in a row.
Result<std::vector<std::size_t>> columns_of(const plot::CsvReader& reader, const v1::Description& plant) {
  for (const std::string& column : reader.columns()) {
    if (is_time(column) || column == kSequence) continue;
    if (const Result<int> index = actuator_index(plant, column); !index) {
      return Error{reader.place() + ": " + column, index.error().what};
    }
  }
  std::vector<std::size_t> columns;
  for (const v1::Actuator& actuator : plant.actuators()) {
    const int column = reader.find(actuator.name());
    if (column < 0) return Error{reader.place(), "there is no column for the actuator '" + actuator.name() + "'"};
    columns.push_back(static_cast<std::size_t>(column));
  }
  return columns;
}

void print_results(const v1::RolloutReply& reply, const v1::Description& plant, double time_per_command_s,
                   std::ostream& out) {
  out << "sequence,time_s";
  for (const v1::Sensor& sensor : plant.sensors()) out << "," << sensor.name();
  out << "\n";
  const int sensors = plant.sensors_size();
  for (int s = 0; s < reply.results_size(); ++s) {
    const v1::RolloutResult& result = reply.results(s);
    const int rows = sensors > 0 ? result.outputs_size() / sensors : 0;
    for (int r = 0; r < rows; ++r) {
      out << s + 1 << "," << console::exact_number((r + 1) * time_per_command_s);
      for (int c = 0; c < sensors; ++c) out << "," << console::exact_number(result.outputs(r * sensors + c));
      out << "\n";
    }
  }
}

}  // namespace

Result<v1::RolloutRequest> read_commands(std::istream& in, const std::string& file, const v1::Description& plant) {
  auto reader = plot::CsvReader::open(in, file);
  if (!reader) return reader.error();
  const Result<std::vector<std::size_t>> columns = columns_of(*reader, plant);
  if (!columns) return columns.error();
  std::vector<int> all(reader->columns().size());
  std::iota(all.begin(), all.end(), 0);
  reader->want(all);
  const int sequence_column = reader->find(kSequence);

  v1::RolloutRequest request;
  double last_sequence = 0.0;
  while (true) {
    const Result<bool> row = reader->next();
    if (!row) return row.error();
    if (!*row) break;
    const double sequence = sequence_column < 0 ? 0.0 : reader->values()[static_cast<std::size_t>(sequence_column)];
    if (request.sequences_size() == 0 || sequence != last_sequence) request.add_sequences();
    last_sequence = sequence;
    v1::CommandSequence& to = *request.mutable_sequences(request.sequences_size() - 1);
    for (const std::size_t column : *columns) to.add_commands(reader->values()[column]);
  }
  if (request.sequences_size() == 0) return Error{file, "there is no row of commands"};
  return request;
}

Result<v1::ControlRequest> rollout_request(const RolloutOptions& options, const v1::Description& plant) {
  std::ifstream file;
  const bool is_stdin = options.file == "-";
  if (!is_stdin) {
    file.open(options.file, std::ios::binary);
    if (!file) return Error{options.file, "cannot open the file"};
  }
  Result<v1::RolloutRequest> commands = read_commands(is_stdin ? std::cin : static_cast<std::istream&>(file),
                                                      is_stdin ? "standard input" : options.file, plant);
  if (!commands) return commands.error();
  commands->set_steps_per_command(static_cast<std::uint32_t>(options.steps_per_command));
  if (options.from.is_given()) options.from.put_into(*commands->mutable_state());
  v1::ControlRequest request;
  *request.mutable_rollout() = std::move(*commands);
  return request;
}

std::optional<Error> report_rollout(const RolloutOptions& options, const v1::RolloutReply& reply,
                                    const v1::Description& plant, const console::Console& console) {
  std::ostringstream text;
  print_results(reply, plant, options.steps_per_command * plant.dt_s(), text);
  if (options.out.empty()) {
    console.out << text.str();
  } else {
    if (const auto failure = write_file(options.out, text.str())) return failure->error;
    console.out << "wrote " << options.out << "\n";
  }
  for (int s = 0; s < reply.results_size(); ++s) {
    if (!reply.results(s).complete()) {
      console::print_warnings(console, {{"sequence " + std::to_string(s + 1), "a step failed: its rows end there"}});
    }
  }
  return std::nullopt;
}

}  // namespace kinloop::cli

// Writes the rows of a record as CSV, line by line.
#include "services/cli/record_csv.hpp"

#include <ostream>

#include "services/cli/motion_csv.hpp"
#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

/// As many cells as there are names; empty ones where there are no values.
void append_cells(const std::vector<double>& values, int names, std::string& line) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(names); ++i) {
    line += ',';
    if (i < values.size()) line += console::exact_number(values[i]);
  }
}

bool fits(const std::vector<double>& values, int names) {
  return values.empty() || values.size() == static_cast<std::size_t>(names);
}

}  // namespace

RecordCsv::RecordCsv(const record::RecordFacts& facts, std::ostream& out) : plant_(facts.description), out_(out) {}

void RecordCsv::write_header() {
  line_ = "t,step,flags";
  for (const v1::Actuator& actuator : plant_.actuators()) line_ += "," + csv_cell("command." + actuator.name());
  for (const v1::Sensor& sensor : plant_.sensors()) line_ += "," + csv_cell("sensor." + sensor.name());
  out_ << line_ << "\n";
}

Result<bool> RecordCsv::write(const record::StepRow& row) {
  if (!fits(row.commands, plant_.actuators_size()) || !fits(row.sensors, plant_.sensors_size())) {
    return Error{"step " + std::to_string(row.step), "has other signals than the record names"};
  }
  line_ = row.time_s ? console::exact_number(*row.time_s) : "";
  line_ += "," + std::to_string(row.step) + ",";
  if (row.flags) line_ += std::to_string(*row.flags);
  append_cells(row.commands, plant_.actuators_size(), line_);
  append_cells(row.sensors, plant_.sensors_size(), line_);
  line_ += '\n';
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
  return true;
}

Result<bool> write_record_csv(record::RecordReader& reader, std::ostream& out) {
  RecordCsv csv(reader.facts(), out);
  csv.write_header();
  reader.want({record::RecordChannel::kInputs, record::RecordChannel::kSensors});
  record::StepRows rows;
  std::optional<Error> damage;
  for (bool is_over = false; !is_over && out;) {
    const Result<const record::RecordItem*> item = reader.next();
    if (!item) damage = item.error();
    is_over = !item || *item == nullptr;
    if (is_over) {
      rows.finish();
    } else if (const auto* input = std::get_if<const v1::StepInput*>(&(*item)->message)) {
      rows.add(**input);
    } else if (const auto* frame = std::get_if<const v1::SensorFrame*>(&(*item)->message)) {
      rows.add(**frame);
    }
    while (const std::optional<record::StepRow> row = rows.take()) {
      if (const Result<bool> written = csv.write(*row); !written) return written.error();
    }
  }
  out.flush();
  if (damage) return *damage;
  return static_cast<bool>(out);
}

}  // namespace kinloop::cli

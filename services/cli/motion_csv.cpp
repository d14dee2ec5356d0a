// Writes the samples of a motion as CSV, line by line.
#include "services/cli/motion_csv.hpp"

#include <ostream>

#include "services/console/table.hpp"
#include "services/files/motion_columns.hpp"

namespace kinloop::cli {
namespace {

void append(double value, std::string& line) { line += console::exact_number(value); }

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

MotionCsv::MotionCsv(const Model& model, std::ostream& out) : model_(model), out_(out) {}

void MotionCsv::write_header() {
  line_.clear();
  for (const MotionColumn& column : motion_columns(model_)) line_ += (line_.empty() ? "" : ",") + csv_cell(column.name);
  out_ << line_ << "\n";
}

void MotionCsv::write(const Sample& sample) {
  const State& state = sample.state;
  line_.clear();
  append(state.time_s(), line_);
  const auto add = [this](double value) {
    line_ += ',';
    append(value, line_);
  };
  for (const double value : state.q()) add(value);
  for (const double value : state.v()) add(value);
  add(sample.energy.kinetic_J);
  add(sample.energy.potential_J);
  if (model_.has_loops()) {
    add(sample.closure_error);
    add(sample.closure_rate);
  }
  for (const int i : model_.driven_speeds()) add(sample.drive[i]);
  for (const double force : sample.loop_drives) add(force);
  line_ += '\n';
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
}

}  // namespace kinloop::cli

// Writes line by line.
#include "services/cli/motion_csv.hpp"

#include <ostream>

#include "services/cli/table.hpp"

namespace kinloop::cli {
namespace {

void append(double value, std::string& line) { line += exact_number(value); }

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

MotionCsv::MotionCsv(const Model& model, std::ostream& out) : model_(model), out_(out) {}

void MotionCsv::write_header() {
  // Coordinates follow the order of the file's joints, which the tree need not.
  std::vector<std::string> q(static_cast<std::size_t>(model_.nq()));
  for (int k = 1; k < model_.body_count(); ++k) {
    const int nq = joint_kind(model_.body(k).joint).nq;
    for (int i = 0; i < nq; ++i) {
      q[static_cast<std::size_t>(model_.body(k).q + i)] =
          model_.joint_name(k) + (nq > 1 ? "." + std::to_string(i) : "");
    }
  }
  line_ = "t";
  for (const std::string& name : q) line_ += "," + csv_cell("q." + name);
  for (int i = 0; i < model_.nv(); ++i) line_ += "," + csv_cell("u." + model_.speed_name(i));
  line_ += ",kinetic_J,potential_J";
  if (model_.has_loops()) line_ += ",closure_error,closure_rate";
  for (const int i : model_.driven_speeds()) line_ += "," + csv_cell("drive." + model_.speed_name(i));
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
  line_ += '\n';
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
}

}  // namespace kinloop::cli

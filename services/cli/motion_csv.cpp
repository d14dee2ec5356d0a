// Writes line by line.
#include "services/cli/motion_csv.hpp"

#include <array>
#include <charconv>
#include <ostream>

#include "services/files/motion_columns.hpp"

namespace kinloop::cli {
namespace {

/// The shortest text that reads back as the same number.
void append(double value, std::string& line) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  line.append(buffer.data(), end);
}

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

void MotionCsv::write(const State& state, const Energy& energy, const VectorX& drive) {
  line_.clear();
  append(state.time_s(), line_);
  const auto add = [this](double value) {
    line_ += ',';
    append(value, line_);
  };
  for (const double value : state.q()) add(value);
  for (const double value : state.v()) add(value);
  add(energy.kinetic_J);
  add(energy.potential_J);
  for (const int i : model_.driven_speeds()) add(drive[i]);
  line_ += '\n';
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
}

}  // namespace kinloop::cli

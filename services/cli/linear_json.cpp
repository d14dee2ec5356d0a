// Writes a linearization as JSON, matrices as lists of rows.
#include "services/cli/linear_json.hpp"

#include <nlohmann/json.hpp>

#include "core/analysis/modes.hpp"

namespace kinloop::cli {
namespace {

using Json = nlohmann::ordered_json;

Json rows_of(const MatrixX& matrix) {
  Json rows = Json::array();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    Json row = Json::array();
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) row.push_back(matrix(r, c));
    rows.push_back(row);
  }
  return rows;
}

Json json_list(const VectorX& vector) { return std::vector<double>(vector.begin(), vector.end()); }

}  // namespace

std::string linear_json(const std::string& name, const Linearization& l) {
  Json eigenvalues = Json::array();
  for (const Mode& mode : modes(l.A, l.dt_s)) {
    eigenvalues.push_back({mode.eigenvalue.real(), mode.eigenvalue.imag()});
    if (mode.kind == ModeKind::kSwings) eigenvalues.push_back({mode.eigenvalue.real(), -mode.eigenvalue.imag()});
  }
  const Json json{{"name", name},
                  {"dt_s", l.dt_s},
                  {"states", l.states},
                  {"inputs", l.inputs},
                  {"outputs", l.outputs},
                  {"x", json_list(l.x)},
                  {"u", json_list(l.u)},
                  {"y", json_list(l.y)},
                  {"x_next", json_list(l.x_next)},
                  {"A", rows_of(l.A)},
                  {"B", rows_of(l.B)},
                  {"C", rows_of(l.C)},
                  {"D", rows_of(l.D)},
                  {"eigenvalues", eigenvalues},
                  {"method", l.method},
                  {"uncertainty", l.uncertainty},
                  {"warnings", l.warnings}};
  return json.dump(1) + "\n";
}

std::string trim_json(const std::string& name, const kinloop::Plant& plant, const Trim& found) {
  const auto list = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
  Json commands = Json::object();
  for (std::size_t i = 0; i < plant.actuator_count(); ++i) {
    commands[plant.spec().actuators[i].name] = found.input.command[i];
  }
  Json memory = Json::object();
  for (const DeviceStateEntry& entry : plant.device_state_entries(found.state)) {
    memory[entry.name] = found.state.device_state()[entry.at];
  }
  const Json json{{"name", name},         {"reached", found.is_reached},        {"residual", found.residual},
                  {"commands", commands}, {"q", list(found.state.q())},         {"v", list(found.state.v())},
                  {"memory", memory},     {"block", list(found.state.block())}, {"missing", found.missing}};
  return json.dump(1) + "\n";
}

}  // namespace kinloop::cli

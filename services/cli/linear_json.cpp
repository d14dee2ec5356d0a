// Writes a linearization as JSON, matrices as lists of rows.
#include "services/cli/linear_json.hpp"

#include <cmath>
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
  Json json{{"name", name},
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
  if (!l.parameters.empty()) {
    json["parameters"] = l.parameters;
    json["p"] = json_list(l.p);
    json["P"] = rows_of(l.P);
  }
  return json.dump(1) + "\n";
}

std::string fit_json(const std::string& name, const Identification& found) {
  Json parameters = Json::object(), sensors = Json::object(), correlation = Json::array();
  for (const Identification::Parameter& one : found.parameters) {
    Json deviation = nullptr;
    if (std::isfinite(one.deviation)) deviation = one.deviation;
    parameters[one.name] = {{"start", one.start}, {"value", one.value}, {"deviation", deviation}};
  }
  for (const Identification::Sensor& one : found.sensors) {
    if (one.is_used) sensors[one.name] = {{"before", one.before}, {"after", one.after}};
  }
  for (Eigen::Index r = 0; r < found.correlation.rows(); ++r) {
    const VectorX row = found.correlation.row(r).transpose();
    correlation.push_back(std::vector<double>(row.begin(), row.end()));
  }
  const Json json{{"name", name},
                  {"converged", found.is_converged},
                  {"iterations", found.iterations},
                  {"parameters", parameters},
                  {"correlation", correlation},
                  {"residuals", sensors}};
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

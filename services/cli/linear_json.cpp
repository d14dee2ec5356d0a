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

}  // namespace kinloop::cli

// Encodes linearizations, matrices row by row.
#include "services/wire/linear_codec.hpp"

namespace kinloop::wire {
namespace {

using Numbers = google::protobuf::RepeatedField<double>;

/// Behind what is there.
template <class Matrix>
void put_rows(const Matrix& matrix, google::protobuf::RepeatedField<double>& out) {
  out.Reserve(out.size() + static_cast<int>(matrix.size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) out.AddAlreadyReserved(matrix(i, j));
  }
}

void put_names(const std::vector<std::string>& names, google::protobuf::RepeatedPtrField<std::string>& out) {
  out.Assign(names.begin(), names.end());
}

VectorX vector_of(const Numbers& numbers) { return Eigen::Map<const VectorX>(numbers.data(), numbers.size()); }

bool take_rows(const Numbers& numbers, std::size_t rows, std::size_t columns, MatrixX& out) {
  if (static_cast<std::size_t>(numbers.size()) != rows * columns) return false;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  out = Eigen::Map<const Rows>(numbers.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  return true;
}

}  // namespace

void to_wire(const Linearization& result, v1::LinearizeReply& reply) {
  put_names(result.states, *reply.mutable_states());
  put_names(result.inputs, *reply.mutable_inputs());
  put_names(result.outputs, *reply.mutable_outputs());
  put_names(result.warnings, *reply.mutable_warnings());
  put_rows(result.x, *reply.mutable_x());
  put_rows(result.u, *reply.mutable_u());
  put_rows(result.y, *reply.mutable_y());
  put_rows(result.x_next, *reply.mutable_x_next());
  put_rows(result.A, *reply.mutable_a());
  put_rows(result.B, *reply.mutable_b());
  put_rows(result.C, *reply.mutable_c());
  put_rows(result.D, *reply.mutable_d());
  reply.set_dt_s(result.dt_s);
  reply.set_uncertainty(result.uncertainty);
  reply.set_method(result.method);
  put_names(result.parameters, *reply.mutable_parameters());
  put_rows(result.p, *reply.mutable_parameter_values());
  put_rows(result.P, *reply.mutable_p());
}

Result<Linearization> linearization_of(const v1::LinearizeReply& reply) {
  Linearization result;
  result.states.assign(reply.states().begin(), reply.states().end());
  result.inputs.assign(reply.inputs().begin(), reply.inputs().end());
  result.outputs.assign(reply.outputs().begin(), reply.outputs().end());
  result.warnings.assign(reply.warnings().begin(), reply.warnings().end());
  result.x = vector_of(reply.x());
  result.u = vector_of(reply.u());
  result.y = vector_of(reply.y());
  result.x_next = vector_of(reply.x_next());
  result.dt_s = reply.dt_s();
  result.uncertainty = reply.uncertainty();
  result.method = reply.method();
  result.parameters.assign(reply.parameters().begin(), reply.parameters().end());
  result.p = vector_of(reply.parameter_values());
  const std::size_t states = result.states.size();
  const std::size_t inputs = result.inputs.size();
  const std::size_t outputs = result.outputs.size();
  const bool fits = take_rows(reply.a(), states, states, result.A) && take_rows(reply.b(), states, inputs, result.B) &&
                    take_rows(reply.c(), outputs, states, result.C) &&
                    take_rows(reply.d(), outputs, inputs, result.D) &&
                    take_rows(reply.p(), states, result.parameters.size(), result.P);
  if (!fits) return Error{"linearize", "the matrices of the answer do not fit its names"};
  return result;
}

void to_wire(const Trajectory& way, const Model& model, v1::LinearizeTrajectoryReply& reply) {
  put_names(way.states, *reply.mutable_states());
  put_names(way.warnings, *reply.mutable_warnings());
  for (const VectorX& x : way.x) put_rows(x, *reply.mutable_x());
  for (const MatrixX& A : way.A) put_rows(A, *reply.mutable_a());
  for (const MatrixX& B : way.B) put_rows(B, *reply.mutable_b());
  for (const VectorX& y : way.y) put_rows(y, *reply.mutable_y());
  for (const MatrixX& C : way.C) put_rows(C, *reply.mutable_c());
  for (const MatrixX& D : way.D) put_rows(D, *reply.mutable_d());
  reply.set_complete(way.complete);
  put_rows(way.end.block(), *reply.mutable_end());
  for (const int i : way.independents) reply.add_independent(model.speed_name(i));
}

QuadraticCost cost_of(const v1::QuadraticCost& cost) {
  const auto list = [](const Numbers& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); };
  return {list(cost.output_weights()), list(cost.output_targets()), list(cost.end_weights()),
          list(cost.command_weights()), list(cost.command_targets())};
}

void to_wire(const Trim& found, v1::TrimReply& reply) {
  reply.set_reached(found.is_reached);
  reply.set_residual(found.residual);
  put_names(found.missing, *reply.mutable_missing());
  reply.set_iterations(static_cast<std::uint32_t>(found.iterations));
  put_rows(VectorX(found.state.q()), *reply.mutable_state()->mutable_q());
  put_rows(VectorX(found.state.v()), *reply.mutable_state()->mutable_v());
  reply.mutable_commands()->Assign(found.input.command.begin(), found.input.command.begin() + found.input.count);
}

TrimSettings trim_settings_of(const v1::TrimRequest& request) {
  const auto given = [](const google::protobuf::RepeatedPtrField<v1::NamedNumber>& numbers) {
    std::vector<std::pair<std::string, double>> all;
    for (const v1::NamedNumber& one : numbers) all.emplace_back(one.name(), one.value());
    return all;
  };
  TrimSettings settings;
  settings.coordinates = given(request.coordinates());
  settings.speeds = given(request.speeds());
  settings.commands = given(request.commands());
  settings.holds_coordinates = request.hold();
  if (request.max_iterations() > 0) settings.max_iterations = static_cast<int>(request.max_iterations());
  return settings;
}

}  // namespace kinloop::wire

// Encodes linearizations, matrices row by row.
#include "services/wire/linear_codec.hpp"

namespace kinloop::wire {
namespace {

using Numbers = google::protobuf::RepeatedField<double>;

template <class Matrix>
void put_rows(const Matrix& matrix, google::protobuf::RepeatedField<double>& out) {
  out.Reserve(static_cast<int>(matrix.size()));
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
  const std::size_t states = result.states.size();
  const std::size_t inputs = result.inputs.size();
  const std::size_t outputs = result.outputs.size();
  const bool fits = take_rows(reply.a(), states, states, result.A) && take_rows(reply.b(), states, inputs, result.B) &&
                    take_rows(reply.c(), outputs, states, result.C) && take_rows(reply.d(), outputs, inputs, result.D);
  if (!fits) return Error{"linearize", "the matrices of the answer do not fit its names"};
  return result;
}

}  // namespace kinloop::wire

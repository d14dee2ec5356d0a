// Converts by numpy what is not an array of doubles already.
#include "services/python/arrays.hpp"

#include <cmath>
#include <cstring>

#include "services/python/failure.hpp"

namespace kinloop::python {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& what) {
  throw Failure(FailureKind::kInvalid, name, std::string(name) + ": " + what);
}

/// Real numbers only: text, objects and complex numbers are mistakes.
Numbers real_numbers(const py::handle& object, const char* name) {
  if (py::isinstance<Numbers>(object)) return py::reinterpret_borrow<Numbers>(object);
  const py::array array = py::array(py::reinterpret_borrow<py::object>(object));
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    throw py::type_error(std::string(name) + ": expected real numbers, got " +
                         std::string(py::str(py::type::of(object).attr("__name__"))) + " of type " +
                         std::string(py::str(array.dtype())));
  }
  return py::array_t<double, py::array::c_style | py::array::forcecast>(array);
}

void require_finite(const double* data, py::ssize_t size, const char* name) {
  for (py::ssize_t i = 0; i < size; ++i) {
    if (!std::isfinite(data[i])) refuse(name, "must be finite");
  }
}

}  // namespace

VectorX vector_from(const py::handle& object, Eigen::Index size, const char* name) {
  const Numbers numbers = numbers_from(object, 1, name);
  if (size >= 0 && numbers.size() != size) {
    refuse(name, "has " + std::to_string(size) + " numbers, not " + std::to_string(numbers.size()));
  }
  VectorX vector(numbers.size());
  if (vector.size() > 0)
    std::memcpy(vector.data(), numbers.data(), sizeof(double) * static_cast<std::size_t>(vector.size()));
  return vector;
}

VectorX vector_or(const py::handle& object, const VectorX& none, const char* name) {
  return object.is_none() ? none : vector_from(object, none.size(), name);
}

Numbers numbers_from(const py::handle& object, int dimensions, const char* name) {
  Numbers numbers = real_numbers(object, name);
  if (numbers.ndim() != dimensions) {
    refuse(name, "has " + std::to_string(numbers.ndim()) + " dimensions, not " + std::to_string(dimensions));
  }
  require_finite(numbers.data(), numbers.size(), name);
  return numbers;
}

double number_from(const py::handle& object, const char* name) {
  const double number = PyFloat_AsDouble(object.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (!std::isfinite(number)) refuse(name, "must be finite");
  return number;
}

std::vector<std::string> names_from(const py::handle& object, const char* name) {
  std::vector<std::string> names;
  if (py::isinstance<py::str>(object)) throw py::type_error(std::string(name) + ": a list of names, not one");
  for (const py::handle one : object) {
    if (!py::isinstance<py::str>(one)) throw py::type_error(std::string(name) + ": names are text");
    names.push_back(one.cast<std::string>());
  }
  return names;
}

std::vector<std::pair<std::string, double>> named_numbers_from(const py::handle& object, const char* name) {
  std::vector<std::pair<std::string, double>> all;
  if (object.is_none()) return all;
  if (!py::isinstance<py::dict>(object))
    throw py::type_error(std::string(name) + ": a dictionary of names and numbers");
  // A copy: reading a number may run code that changes the dictionary.
  for (const py::handle item : py::list(object.attr("items")())) {
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    if (!py::isinstance<py::str>(pair[0])) throw py::type_error(std::string(name) + ": names are text");
    all.emplace_back(pair[0].cast<std::string>(), number_from(pair[1], name));
  }
  return all;
}

std::optional<std::string> optional_text_from(const py::object& text) {
  return text.is_none() ? std::nullopt : std::optional(text.cast<std::string>());
}

std::vector<ParameterSetting> settings_from(const py::dict& settings) {
  std::vector<ParameterSetting> all;
  for (const py::handle item : py::list(settings.attr("items")())) {
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    all.push_back({pair[0].cast<std::string>(), pair[1].cast<std::string>()});
  }
  return all;
}

Numbers array_of(const VectorX& vector) {
  Numbers array(vector.size());
  if (vector.size() > 0)
    std::memcpy(array.mutable_data(), vector.data(), sizeof(double) * static_cast<std::size_t>(vector.size()));
  return array;
}

Numbers array_of(const MatrixX& matrix) {
  Numbers array(std::vector<py::ssize_t>{matrix.rows(), matrix.cols()});
  double* data = array.mutable_data();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) *data++ = matrix(r, c);
  }
  return array;
}

Numbers array_of(const Pose& pose) {
  MatrixX X = MatrixX::Identity(4, 4);
  X.topLeftCorner<3, 3>() = pose.R;
  X.topRightCorner<3, 1>() = pose.p;
  return array_of(X);
}

py::tuple tuple_of(const std::vector<std::string>& names) {
  py::tuple tuple(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) tuple[i] = py::str(names[i]);
  return tuple;
}

}  // namespace kinloop::python

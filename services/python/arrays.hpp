// Owns the way of numbers between Python and core: checked copies in, copies and views out.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/spatial/types.hpp"
#include "services/files/parameter_settings.hpp"

namespace kinloop::python {

namespace py = pybind11;
using Numbers = py::array_t<double, py::array::c_style>;

/// Numbers of any real type, one-dimensional, `size` of them (-1: any), all finite; else Failure, or what Python raises
/// where the object is no array.
VectorX vector_from(const py::handle& object, Eigen::Index size, const char* name);
/// `none` where it is None.
VectorX vector_or(const py::handle& object, const VectorX& none, const char* name);
/// Of `dimensions` dimensions; finite.
Numbers numbers_from(const py::handle& object, int dimensions, const char* name);
double number_from(const py::handle& object, const char* name);
/// A list or tuple of text.
std::vector<std::string> names_from(const py::handle& object, const char* name);
/// A dictionary of names and numbers; None: empty.
std::vector<std::pair<std::string, double>> named_numbers_from(const py::handle& object, const char* name);

std::optional<std::string> optional_text_from(const py::object& text);
/// A dictionary of texts.
std::vector<ParameterSetting> settings_from(const py::dict& settings);

Numbers array_of(const VectorX& vector);
Numbers array_of(const MatrixX& matrix);
Numbers array_of(const Pose& pose);  // 4 x 4
py::tuple tuple_of(const std::vector<std::string>& names);

enum class Access { kRead, kWrite };
/// Looks into memory of `owner`, and keeps it alive.
template <class T>
py::array_t<T> view_of(T* data, std::size_t size, const py::object& owner, Access access) {
  py::array_t<T> view(static_cast<py::ssize_t>(size), data, owner);
  if (access == Access::kRead) py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

}  // namespace kinloop::python

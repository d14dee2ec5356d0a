// Raises the exceptions of kinloop.errors.
#include <pybind11/pybind11.h>

#include "services/python/bindings.hpp"
#include "services/python/failure.hpp"

namespace kinloop::python {
namespace {

namespace py = pybind11;

void raise(const Failure& failure) {
  py::list errors;
  for (const Error& error : failure.errors()) errors.append(py::make_tuple(error.where, error.what));
  const py::object make = py::module_::import("kinloop.errors").attr("native_failure");
  const py::object exception = make(static_cast<int>(failure.kind()), errors);
  PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
}

}  // namespace

void bind_failures(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const py::cast_error& error) {
      PyErr_SetString(PyExc_TypeError, error.what());
    } catch (const Failure& failure) {
      try {
        raise(failure);
      } catch (py::error_already_set& other) {
        other.restore();
      }
    }
  });
}

}  // namespace kinloop::python

// Owns the parts of the module _kinloop; docs/python.md says what it is for.
#pragma once

#include <pybind11/pybind11.h>

namespace kinloop::python {

void bind_failures(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_plant(pybind11::module_& module);
void bind_simulation(pybind11::module_& module);
void bind_analysis(pybind11::module_& module);

}  // namespace kinloop::python

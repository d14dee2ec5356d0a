// The module _kinloop: what kinloop.native is made of.
#include <pybind11/pybind11.h>

#include "services/python/bindings.hpp"

PYBIND11_MODULE(_kinloop, module) {
  module.doc() = "The compiled part of kinloop.native.";
  pybind11::options options;
  options.disable_function_signatures();  // the stubs have them, with types
  kinloop::python::bind_failures(module);
  kinloop::python::bind_model(module);
  kinloop::python::bind_plant(module);
  kinloop::python::bind_simulation(module);
  kinloop::python::bind_analysis(module);
}

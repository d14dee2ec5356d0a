// Plant: a rig as it was read.
#include <pybind11/pybind11.h>

#include "services/base/diagnostics.hpp"
#include "services/python/arrays.hpp"
#include "services/python/bindings.hpp"
#include "services/python/failure.hpp"
#include "services/python/plant_object.hpp"

namespace kinloop::python {
namespace {

template <class Specs, class Text>
py::tuple texts_of(const Specs& specs, Text text) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < specs.size(); ++i) all.push_back(text(i));
  return tuple_of(all);
}

template <class Number>
Numbers command_numbers(const PlantObject& plant, Number number) {
  VectorX all(static_cast<Eigen::Index>(plant.spec.plant.actuators.size()));
  for (Eigen::Index i = 0; i < all.size(); ++i)
    all[i] = number(plant.spec.plant.actuators[static_cast<std::size_t>(i)]);
  return array_of(all);
}

py::tuple all_warnings(const PlantObject& plant) {
  std::vector<std::string> lines;
  for (const Error& warning : plant.warnings) lines.push_back(to_line(warning));
  for (const Error& warning : plant.model->warnings) lines.push_back(to_line(warning));
  return tuple_of(lines);
}

}  // namespace

void bind_plant(py::module_& module) {
  using Self = PlantObject;
  py::class_<Self, std::shared_ptr<Self>> plant(module, "Plant");
  plant.def(py::init([](const std::string& file, const py::object& text, const py::dict& parameters,
                        const py::object& model) {
              const std::optional<std::string> content = optional_text_from(text);
              const auto given = model.is_none() ? nullptr : model.cast<const ModelObject&>().loaded();
              return load_plant_object(file, content ? &*content : nullptr, settings_from(parameters), given);
            }),
            py::arg("file"), py::arg("text"), py::arg("parameters"), py::arg("model"));
  const auto property = [&](const char* name, const char* doc, auto get) {
    plant.def_property_readonly(name, get, doc);
  };
  property("name", "The name that its file gives it.", [](const Self& p) { return p.spec.name; });
  property("dt_s", "Length of a step, s.", [](const Self& p) { return p.spec.plant.dt_s; });
  property("seed", "Of all noise.", [](const Self& p) { return p.spec.plant.seed; });
  property("actuators", "Names of actuators, in the order of commands.", [](const Self& p) {
    return texts_of(p.spec.plant.actuators, [&](std::size_t i) { return p.spec.plant.actuators[i].name; });
  });
  property("actuator_units", "What commands are measured in; empty for pure numbers.", [](const Self& p) {
    return texts_of(p.spec.plant.actuators, [&](std::size_t i) { return command_unit(p, i); });
  });
  property("sensors", "Names of sensors, in the order of readings.", [](const Self& p) {
    return texts_of(p.spec.plant.sensors, [&](std::size_t i) { return p.spec.plant.sensors[i].name; });
  });
  property("sensor_units", "What readings are measured in.", [](const Self& p) {
    return texts_of(p.spec.plant.sensors, [&](std::size_t i) { return sensor_unit(p, i); });
  });
  property("signals", "What each sensor shows: docs/rig-format.md.", [](const Self& p) {
    return texts_of(p.spec.plant.sensors, [&](std::size_t i) { return p.spec.plant.sensors[i].signal; });
  });
  property("lower", "Smallest commands; below them they are cut off.", [](const Self& p) {
    return command_numbers(p, [](const ActuatorSpec& actuator) { return actuator.chain.lower; });
  });
  property("upper", "Largest commands.", [](const Self& p) {
    return command_numbers(p, [](const ActuatorSpec& actuator) { return actuator.chain.upper; });
  });
  property("initial_commands", "Commands in force when a run starts.", [](const Self& p) {
    return command_numbers(p, [](const ActuatorSpec& actuator) { return actuator.initial; });
  });
  property("warnings", "What is unusual about rig and model.", all_warnings);
}

}  // namespace kinloop::python

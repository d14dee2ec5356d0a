// Owns PlantObject: a rig and its model, as read; what simulations are made of. Immutable.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "services/python/model_object.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::python {

struct PlantObject : Constructed {
  PlantObject(std::shared_ptr<const LoadedModel> of, RigSpec rig, std::vector<Error> unusual)
      : model(std::move(of)), spec(std::move(rig)), warnings(std::move(unusual)) {}

  std::shared_ptr<const LoadedModel> model;
  RigSpec spec;
  std::vector<Error> warnings;
};

/// From a rig file, or from a text that counts as the file of that name, with the model that it names or, where one is
/// given, with that. Throws Failure.
std::shared_ptr<PlantObject> load_plant_object(const std::string& file, const std::string* text,
                                               const Settings& parameters,
                                               const std::shared_ptr<const LoadedModel>& model);

/// What the command of an actuator is measured in: "Nm"; empty where it has no unit.
std::string command_unit(const PlantObject& plant, std::size_t actuator);
std::string sensor_unit(const PlantObject& plant, std::size_t sensor);

}  // namespace kinloop::python

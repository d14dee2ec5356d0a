// Reads rigs.
#include "services/python/plant_object.hpp"

#include <utility>

#include "core/actuators/actuator_type.hpp"
#include "core/plant/signal.hpp"
#include "services/python/failure.hpp"

namespace kinloop::python {
namespace {

std::shared_ptr<PlantObject> plant_object_of(Result<LoadedRig, std::vector<Error>> rig) {
  if (!rig) throw refusal_of(rig.error());
  auto model = std::make_shared<LoadedModel>(std::move(rig->model));
  return std::make_shared<PlantObject>(std::move(model), std::move(rig->spec), std::move(rig->warnings));
}

}  // namespace

std::shared_ptr<PlantObject> load_plant_object(const std::string& file, const std::string* text,
                                               const Settings& parameters,
                                               const std::shared_ptr<const LoadedModel>& model) {
  if (model == nullptr && text == nullptr) return plant_object_of(load_rig(file, parameters));
  if (!parameters.empty()) {
    throw Failure(FailureKind::kInvalid, "parameters", "belong to the model, or into the dictionary");
  }
  if (model == nullptr) return plant_object_of(load_rig_text(*text, file));
  if (text == nullptr) {
    throw Failure(FailureKind::kInvalid, "model", "a rig file names its own model; a dictionary may be given one");
  }
  auto rig = read_rig_text(*text, file, model->model);
  if (!rig) throw refusal_of(rig.error());
  return std::make_shared<PlantObject>(model, std::move(rig->spec), std::move(rig->warnings));
}

std::string command_unit(const PlantObject& plant, std::size_t actuator) {
  const ActuatorSpec& spec = plant.spec.plant.actuators[actuator];
  const ActuatorType& type = actuator_type(spec.kind);
  if (type.force != ForceSource::kCommand) return std::string(type.command_unit);
  const Result<Signal> force = find_signal(plant.model->model, plant.spec.plant, "force." + spec.name);
  return force ? std::string(name_of(force->unit)) : "";
}

std::string sensor_unit(const PlantObject& plant, std::size_t sensor) {
  const Result<Signal> signal =
      find_signal(plant.model->model, plant.spec.plant, plant.spec.plant.sensors[sensor].signal);
  return signal ? std::string(name_of(signal->unit)) : "";
}

}  // namespace kinloop::python

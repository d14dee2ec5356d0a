// The rig as it was loaded where that will do, else loaded again.
#include "services/io/twin.hpp"

namespace kinloop::io {

Result<std::unique_ptr<Twin>> make_twin(const LoadedRig& rig, const std::filesystem::path& rig_file,
                                        const ParameterList& parameters) {
  auto twin = std::make_unique<Twin>();
  twin->parameters = parameters;
  if (!parameters.empty()) {
    auto tuned = load_rig(rig_file, parameters);
    if (!tuned) return tuned.error().front();
    twin->tuned.emplace(std::move(tuned).value());
  }
  const LoadedRig& stands_on = twin->tuned ? *twin->tuned : rig;
  auto plant = Plant::make(stands_on.model.model, stands_on.spec.plant);
  if (!plant) return plant.error();
  twin->plant = std::move(plant).value();
  return twin;
}

}  // namespace kinloop::io

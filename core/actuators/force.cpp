// An actuator whose effective command is its force.
#include <memory>

#include "core/actuators/actuator_slopes.hpp"
#include "core/actuators/actuator_type.hpp"

namespace kinloop {
namespace {

class Force final : public Actuator {
 public:
  int state_size() const noexcept override { return 0; }
  void start(std::span<double> /*state*/) const noexcept override {}
  void step(std::span<const ActuatorInput> inputs, std::span<double> /*state*/,
            std::span<ActuatorOutput> outputs) const noexcept override {
    outputs[0] = {inputs[0].command, 0.0, 0.0};
  }
  void differentiate(std::span<const ActuatorInput> /*inputs*/, std::span<const double> /*state*/,
                     ActuatorSlopes& slopes) const noexcept override {
    slopes.at(slopes.force(0), slopes.command(0)) = 1.0;
  }
  ActuatorQuantity quantity(int /*joint*/, int /*number*/) const noexcept override { return {}; }
};

CommandShape shape_of_force(const ActuatorSpec& /*spec*/) noexcept { return {}; }

std::unique_ptr<Actuator> make_force(const ActuatorSpec& /*spec*/, const ActuatorStep& /*step*/) {
  return std::make_unique<Force>();
}

}  // namespace

const ActuatorType actuators::kForce = {ActuatorKind::kForce,  "force", "force",         "",
                                        ForceSource::kCommand, {},      &shape_of_force, &make_force};

}  // namespace kinloop

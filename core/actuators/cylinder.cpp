// A hydraulic cylinder with its valve; a pump and all cylinders that it feeds make one circuit.
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/actuators/actuator_type.hpp"

namespace kinloop {
namespace {

constexpr double kLeastPressure_Pa = 1e5;
constexpr std::array kChamberPressures = {
    QuantityName{"pressure_a", SignalUnit::kPa, "chambers", kLeastPressure_Pa},
    QuantityName{"pressure_b", SignalUnit::kPa, "chambers", kLeastPressure_Pa},
};

CommandShape shape_of_opening(const ActuatorSpec& spec) noexcept { return {spec.cylinder.overlap, 1.0}; }

}  // namespace

const ActuatorType actuators::kCylinder = {ActuatorKind::kCylinder,  "cylinder",        "cylinder",        "",
                                           ForceSource::kQuantities, kChamberPressures, &shape_of_opening, nullptr};

std::unique_ptr<Actuator> make_circuit(const PumpSpec& pump, std::span<const ActuatorSpec* const> fed,
                                       const ActuatorStep& step) {
  std::vector<CylinderSettings> cylinders;
  for (const ActuatorSpec* spec : fed) cylinders.push_back(spec->cylinder);
  return std::make_unique<HydraulicCircuit>(pump.settings, cylinders, step.circuit_step_s, step.euler_step_s);
}

}  // namespace kinloop

// Owns ActuatorType: what others may know about a type of actuator, as data of one table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/actuators/actuator.hpp"
#include "core/actuators/actuator_spec.hpp"
#include "core/base/signal_unit.hpp"

namespace kinloop {

/// The lengths of the steps that an actuator is made for.
struct ActuatorStep {
  double dt_s = 0.0;
  double euler_step_s = 0.0;  // of semi-implicit Euler, by which joints move during dt_s; 0: by another integrator
  /// Circuits are stepped by it: dt_s once, or half of it before joints move and again behind them.
  double circuit_step_s = dt_s;
};

/// How the response to a command bends, on both sides of zero.
struct CommandShape {
  double dead_band = 0.0;  // below it nothing happens
  double full = 0.0;       // beyond it no more happens; 0: there is no such command
};

/// A number of the state that sensors can show and analyses name.
struct QuantityName {
  std::string_view word;  // "pressure_a"
  SignalUnit unit;
  std::string_view source;  // what has it, in errors: "chambers"
  double size;              // the least that counts as large; 0: that depends on the mechanism
};

/// What the force of the last step follows from.
enum class ForceSource {
  kCommand,     // it is the effective command
  kQuantities,  // it is a sum of multiples of them
  kMean,        // a mean over the step, that nothing else remembers
};

struct ActuatorType {
  ActuatorKind kind;
  std::string_view name;          // in files and on the wire: "dc_motor"
  std::string_view noun;          // in messages: "DC motor"
  std::string_view command_unit;  // "V"; empty: it has none, or that of the force (ForceSource::kCommand)
  ForceSource force;
  std::span<const QuantityName> quantities;  // of one joint
  CommandShape (*command)(const ActuatorSpec& spec) noexcept;
  /// Null for those that a pump feeds: make_circuit().
  std::unique_ptr<Actuator> (*make)(const ActuatorSpec& spec, const ActuatorStep& step);

  bool is_fed_by_pump() const noexcept { return make == nullptr; }
};

std::span<const ActuatorType> actuator_types() noexcept;
const ActuatorType& actuator_type(ActuatorKind kind) noexcept;
/// "dc_motor".
std::string_view name_of(ActuatorKind kind) noexcept;

/// All that a pump feeds, in the order of its joints.
std::unique_ptr<Actuator> make_circuit(const PumpSpec& pump, std::span<const ActuatorSpec* const> fed,
                                       const ActuatorStep& step);

/// The entries of the table: each is defined in the file of its name.
namespace actuators {

extern const ActuatorType kForce;
extern const ActuatorType kDcMotor;
extern const ActuatorType kCylinder;

}  // namespace actuators
}  // namespace kinloop

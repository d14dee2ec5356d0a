// Owns HydraulicCircuit: one pump and the cylinders it feeds, each through its own valve.
//
//   V_A / beta dp_A/dt = Q_A - A_A v - leak - relief,   V_A = V_0 + A_A x             chamber A, extends
//   V_B / beta dp_B/dt = Q_B + A_B v + leak - relief,   V_B = V_0 + A_B (stroke - x)  chamber B, retracts
//   V / beta dp/dt = Q_pump(p) - flows drawn                                          line
//   Q = K u dp / (dp^2 + w^2)^(1/4),                    K = rated flow / sqrt(rated drop)
//   force = p_A A_A - p_B A_B
//
// All pressures are gauge, counted from the atmosphere's: so the atmosphere, which also pushes at the rod, is in no
// equation. docs/actuators.md tells the rest.
#pragma once

#include <span>
#include <vector>

#include "core/actuators/actuator.hpp"
#include "core/base/at.hpp"

namespace kinloop {

/// A pump that keeps its pressure as long as its flow suffices.
struct PumpSettings {
  double pressure_Pa = 25e6;      // that it keeps
  double flow_m3_per_s = 5e-3;    // the most it delivers
  double volume_m3 = 2e-3;        // of the line behind it
  double tank_pressure_Pa = 1e5;  // of the return
  double bulk_modulus_Pa = 1.4e9;
};

/// A double-acting cylinder with its four-edge proportional valve. Its joint's coordinate is the extension from fully
/// retracted.
struct CylinderSettings {
  double bore_m = 0.1;                // diameter of the piston
  double rod_m = 0.06;                // diameter of the rod; it passes through chamber B, which retracts
  double stroke_m = 1.0;              // volumes follow from it; the stops are the joint's
  double dead_volume_m3 = 2e-4;       // of each chamber and its hose with the piston at that end
  double bulk_modulus_Pa = 1.4e9;     // of the oil, hoses included
  double valve_flow_m3_per_s = 2e-3;  // through one edge, fully open, at the rated drop of pressure
  double valve_drop_Pa = 3.5e6;
  double overlap = 0.0;              // share of the valve's travel around the middle in which it stays shut
  double leakage_m3_per_s_Pa = 0.0;  // past the piston
  double relief_Pa = 35e6;           // at which a port opens to the tank
  double initial_a_Pa = 1e6, initial_b_Pa = 1e6;
};

/// Its doubles of the State, all pressures in Pa: the line's, then chamber A and B of each cylinder.
class HydraulicState {
 public:
  explicit HydraulicState(std::span<double> state) noexcept : state_(state) {}
  static constexpr int size(int cylinders) noexcept { return chamber_a(cylinders); }
  static constexpr int line() noexcept { return 0; }
  static constexpr int chamber_a(int cylinder) noexcept { return 1 + 2 * cylinder; }
  static constexpr int chamber_b(int cylinder) noexcept { return 2 + 2 * cylinder; }

  double& line_Pa() const noexcept { return state_[line()]; }
  double& a_Pa(int cylinder) const noexcept { return state_[at(chamber_a(cylinder))]; }
  double& b_Pa(int cylinder) const noexcept { return state_[at(chamber_b(cylinder))]; }

 private:
  std::span<double> state_;
};

class HydraulicCircuit final : public Actuator {
 public:
  /// More on one pump are not meant: what a step works with lies on the stack.
  static constexpr int kMaxCylinders = 32;

  /// Pistons count as no faster than this, so that pressures are bounded whatever comes in.
  static constexpr double kMaxSpeed_m_s = 100.0;

  // Constants of the valves that no setting tells.
  static constexpr double kPumpBand = 0.02;   // of its pressure, within which the pump goes from full flow to none
  static constexpr double kLaminar_Pa = 1e4;  // w: drop below which the flow through an edge is laminar
  static constexpr double kReliefOverride =
      0.05;                                      // above relief_Pa, as a share, where it passes the valve's rated flow
  static constexpr double kMakeUpDrop_Pa = 5e4;  // below the tank's pressure, at kMaxSpeed_m_s

  /// Settings make sense: the loader of rigs sees to it. At most kMaxCylinders. Pistons move by steps of semi-implicit
  /// Euler as long as euler_step_s; 0 stands for integrators whose positions and speeds belong to the same instant.
  HydraulicCircuit(const PumpSettings& pump, const std::vector<CylinderSettings>& cylinders, double dt_s,
                   double euler_step_s);
  /// Pistons move by one step of semi-implicit Euler in each step.
  HydraulicCircuit(const PumpSettings& pump, const std::vector<CylinderSettings>& cylinders, double dt_s)
      : HydraulicCircuit(pump, cylinders, dt_s, dt_s) {}

  int state_size() const noexcept override { return HydraulicState::size(cylinder_count()); }
  /// The line at the pump's pressure, the chambers at their initial ones.
  void start(std::span<double> state) const noexcept override;

  /// One input and one output for each cylinder: forces along the extensions, N, while the openings (-1 retract ... 1
  /// extend) are held, from extensions and speeds at the start of the step.
  void step(std::span<const ActuatorInput> inputs, std::span<double> state,
            std::span<ActuatorOutput> outputs) const noexcept override;
  void differentiate(std::span<const ActuatorInput> inputs, std::span<const double> state,
                     ActuatorSlopes& slopes) const noexcept override;
  ActuatorQuantity quantity(int joint, int number) const noexcept override;

 private:
  struct Cylinder {
    CylinderSettings settings;
    double area_a_m2 = 0.0, area_b_m2 = 0.0;
    double valve_gain = 0.0;  // K
    double relief_m3_per_s_Pa = 0.0, make_up_m3_per_s_Pa = 0.0;
  };
  /// The balance at a pressure: conductance * pressure = source.
  struct Node {
    double conductance, source;
  };
  enum class Branches { kChords, kTangentsWhereSettled };
  struct Chamber;
  struct Work;     // of a cylinder, during a step
  struct Tangent;  // of its balances, at the end of it

  int cylinder_count() const noexcept { return static_cast<int>(cylinders_.size()); }
  void prepare(const Cylinder& cylinder, double opening, double extension_m, double speed_m_s, double a_Pa, double b_Pa,
               Work& work) const noexcept;
  /// What relief and make-up valve add to a chamber's balance.
  Node port(const Cylinder& cylinder, double pressure_Pa) const noexcept;
  /// What a cylinder adds to the line's balance, its chambers eliminated.
  Node eliminate(const Cylinder& cylinder, double line_Pa, Branches branches, Work& work) const noexcept;
  /// Pressures at the end of the step: the line's is returned, the chambers' are left in the works.
  double solve(double line_before_Pa, Work* works) const noexcept;
  Tangent tangent(const Cylinder& cylinder, double line_Pa, const Work& work) const noexcept;
  /// How fast the line's balance grows with its pressure, all chambers following.
  double line_conductance(double line_Pa, const Work* works) const noexcept;
  /// The derivatives of a cylinder's force; the state is still that before the step.
  void differentiate(int cylinder, const ActuatorInput& input, const Work& work, double line_Pa,
                     double line_conductance, const HydraulicState& before, ActuatorOutput& output) const noexcept;

  /// What a column of slopes becomes where the balances of a cylinder's chambers and of the line gain these flows.
  struct Inflow {
    double a, b, line;
  };
  void respond(int cylinder, const Inflow& inflow, double line_Pa, double line_conductance, const Work* works,
               int column, ActuatorSlopes& slopes) const noexcept;

  PumpSettings pump_;
  std::vector<Cylinder> cylinders_;
  double dt_s_;
  double euler_step_s_;
};

}  // namespace kinloop

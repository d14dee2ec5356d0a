// Owns HydraulicCircuit: one pump and the cylinders it feeds, each through its own valve.
#pragma once

#include <vector>

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
  double bore_m = 0.1;               // diameter of the piston
  double rod_m = 0.06;               // diameter of the rod; it passes through chamber B, which retracts
  double stroke_m = 1.0;             // volumes follow from it; the stops are the joint's
  double dead_volume_m3 = 2e-4;      // of each chamber and its hose with the piston at that end
  double bulk_modulus_Pa = 1.4e9;    // of the oil, hoses included
  double valve_flow_m3_per_s = 2e-3; // through one edge, fully open, at the rated drop of pressure
  double valve_drop_Pa = 3.5e6;
  double overlap = 0.0;              // share of the valve's travel around the middle in which it stays shut
  double leakage_m3_per_s_Pa = 0.0;  // past the piston
  double relief_Pa = 35e6;           // at which a port opens to the tank
  double initial_a_Pa = 1e6, initial_b_Pa = 1e6;
};

}  // namespace kinloop

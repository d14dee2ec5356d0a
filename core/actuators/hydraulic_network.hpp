// Owns the branches and nodes of a hydraulic circuit during a step: for HydraulicCircuit's own files alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/actuators/hydraulic_circuit.hpp"

namespace kinloop {

/// A flow near some drop of pressure: conductance * drop + offset.
struct EdgeBranch {
  double conductance_m3_per_s_Pa;
  double offset_m3_per_s;
};

enum class EdgeSlope { kChord, kTangent };

/// Tangents are for what changed by less than half of itself.
inline EdgeSlope slope_after(double previous, double now, double small) noexcept {
  return std::abs(now - previous) <= 0.5 * std::max(std::abs(now), small) ? EdgeSlope::kTangent : EdgeSlope::kChord;
}

/// Through an edge of a valve. The gain includes the opening.
inline EdgeBranch edge_flow(double gain, double drop_Pa, EdgeSlope slope) noexcept {
  constexpr double kLaminar_Pa = HydraulicCircuit::kLaminar_Pa;
  const double square = drop_Pa * drop_Pa + kLaminar_Pa * kLaminar_Pa;
  const double chord = gain / std::sqrt(std::sqrt(square));
  if (slope == EdgeSlope::kChord) return {chord, 0.0};
  const double bend = 0.5 * drop_Pa * drop_Pa / square;
  return {(1.0 - bend) * chord, bend * chord * drop_Pa};
}

/// The valve feeds one chamber and drains the other; the sign of the opening says which.
struct HydraulicCircuit::Chamber {
  double storage_m3_per_s_Pa;  // V / (beta dt): the flow that raises the pressure by 1 Pa in the step
  double held_m3_per_s;        // storage times the pressure before the step, less what the piston makes room for
  double pressure_Pa;          // iterate
  double drop_Pa;              // along its edge, where that was replaced last
};

struct HydraulicCircuit::Work {
  double gain;  // of both edges, opening included
  bool feeds_a;
  Chamber fed, drained;
  // As eliminated: fed = fed_alone + fed_per_line * line, drained = drained_alone + drained_per_fed * fed.
  double fed_alone_Pa, fed_per_line, drained_alone_Pa, drained_per_fed;
};

}  // namespace kinloop

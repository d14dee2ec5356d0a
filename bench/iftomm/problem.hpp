// Owns Problem: a mechanism, what of its motion is scored, and the answer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/forces/loads.hpp"
#include "core/model/state.hpp"

namespace kinloop::bench {

/// The scored quantities at a state, from its kinematics.
using Observer = std::function<VectorX(const Model& model, const State& state, const Workspace& ws)>;

struct Problem {
  std::string name;    // "A02_40"
  std::string title;   // for people
  std::string answer;  // where the reference comes from
  Model model;
  Loads loads;
  double duration_s = 10.0;
  Observer observe;
  MatrixX reference;  // a column an output, at equal distances, the first one after the start
  VectorX energy_J;   // that the mechanism should have at the outputs, work of constant loads taken off
  double threshold = 1e-3;
  double low = 1e-1, high = 1e-3;  // what error counts as low and as high precision

  long outputs() const { return reference.cols(); }
  double output_interval_s() const { return duration_s / static_cast<double>(outputs()); }
};

enum class Observe { kPosition, kPositionAndVelocity };

/// Coordinates (0: x ...) of a point that is fixed to a body, in its file's frame.
Observer point_observer(const Model& model, const std::string& body, const Vector3& point, std::vector<int> axes,
                        Observe what);

/// Energy at a state minus the work that constant loads along scalar coordinates have done since the start.
double balanced_energy_J(const Problem& problem, const State& state, const Workspace& ws);

}  // namespace kinloop::bench

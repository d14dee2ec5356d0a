// Owns the reference of linearisations: differences of a plant's step, made as plainly as possible. Loops are closed by
// the assembly's Levenberg-Marquardt method with independent coordinates held.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/linearize.hpp"
#include "core/constraints/assembly.hpp"
#include "core/kinematics/configuration.hpp"

namespace kinloop {

/// What a name of x stands for.
struct NamedState {
  enum class Kind { kCoordinate, kTurn, kSpeed, kMemory } kind = Kind::kMemory;
  int speed = -1;
  std::string memory;
};

inline NamedState named_state(const Model& model, const std::string& name) {
  for (int i = 0; i < model.nv(); ++i) {
    const int k = model.coordinate(i).body;
    if (name == "u." + model.speed_name(i)) return {NamedState::Kind::kSpeed, i, ""};
    if (model.coordinate(i).q >= 0) {
      if (name == "q." + model.speed_name(i)) return {NamedState::Kind::kCoordinate, i, ""};
      continue;
    }
    const int axis = i - (model.body(k).v + model.body(k).nv - 3);
    if (name == "turn." + model.joint_name(k) + "." + "xyz"[axis]) return {NamedState::Kind::kTurn, i, ""};
  }
  return {NamedState::Kind::kMemory, -1, name};
}

class StepDifferences {
 public:
  /// Coordinates and speeds are moved by `move`: less than the scale on which the plant bends.
  StepDifferences(Plant& plant, const State& state, const StepInput& input, const Linearization& of, double move = 4e-3)
      : plant_(plant),
        base_(state),
        input_(input),
        move_(move),
        held_(static_cast<std::size_t>(plant.model().nv()), 0) {
    base_.set_history_count(0);
    for (const std::string& name : of.states) {
      states_.push_back(named_state(plant.model(), name));
      if (states_.back().speed >= 0) held_[static_cast<std::size_t>(states_.back().speed)] = 1;
    }
  }

  /// Central differences, twice extrapolated: columns of x, then of u; rows of x after `steps` steps, then signals.
  MatrixX all(int steps = 1) {
    MatrixX result(static_cast<Eigen::Index>(states_.size() + plant_.sensor_count()),
                   static_cast<Eigen::Index>(states_.size() + plant_.actuator_count()));
    for (Eigen::Index j = 0; j < result.cols(); ++j) {
      const double h = step_of(j);
      const auto slope = [&](double d) -> VectorX { return (after(j, d, steps) - after(j, -d, steps)) / (2.0 * d); };
      const VectorX coarse = slope(h), middle = slope(0.5 * h), fine = slope(0.25 * h);
      result.col(j) = (64.0 * fine - 20.0 * middle + coarse) / 45.0;
    }
    return result;
  }

  /// x and signals after steps from the state with entry j moved by d.
  VectorX after(Eigen::Index j, double d, int steps) {
    State state = base_;
    StepInput input = input_;
    if (j < static_cast<Eigen::Index>(states_.size())) {
      move(states_[static_cast<std::size_t>(j)], d, state);
    } else if (j >= 0) {
      input.command[static_cast<std::size_t>(j) - states_.size()] += d;
    }
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(is_done(plant_.step(i == 0 ? input : input_, state)));
    return read(state);
  }

 private:
  double step_of(Eigen::Index j) const {
    if (j >= static_cast<Eigen::Index>(states_.size())) return 2e-3;
    const NamedState& named = states_[static_cast<std::size_t>(j)];
    return named.memory.starts_with("pressure") ? 1e3 : move_;
  }

  int place_of(const std::string& memory, const State& state) const {
    for (const DeviceStateEntry& candidate : plant_.device_state_entries(state)) {
      if (candidate.name == memory) return candidate.at;
    }
    ADD_FAILURE() << "no memory " << memory;
    return 0;
  }

  void move(const NamedState& named, double d, State& state) const {
    if (named.kind == NamedState::Kind::kMemory) {
      state.device_state()[place_of(named.memory, state)] += d;
      return;
    }
    const Model& model = plant_.model();
    VectorX q = state.q();
    VectorX v = state.v();
    if (named.kind == NamedState::Kind::kSpeed) {
      v[named.speed] += d;
    } else {
      VectorX increment = VectorX::Zero(model.nv());
      increment[named.speed] = d;
      const VectorX before = q;
      advance_configuration(model, before.data(), increment.data(), q.data());
    }
    if (model.has_loops()) {
      const Assembly closed = assemble(model, q, v, held_);
      EXPECT_TRUE(closed.closed);
      q = closed.q;
      v = closed.v;
    }
    state.q() = q;
    state.v() = v;
  }

  VectorX read(const State& state) {
    const Model& model = plant_.model();
    VectorX increment = VectorX::Zero(model.nv());
    configuration_difference(model, base_.q().data(), state.q().data(), increment.data());
    VectorX result(static_cast<Eigen::Index>(states_.size() + plant_.sensor_count()));
    Eigen::Index n = 0;
    for (const NamedState& named : states_) {
      switch (named.kind) {
        case NamedState::Kind::kCoordinate:
        case NamedState::Kind::kTurn:
          result[n++] = increment[named.speed];
          break;
        case NamedState::Kind::kSpeed:
          result[n++] = state.v()[named.speed];
          break;
        case NamedState::Kind::kMemory:
          result[n++] = state.device_state()[place_of(named.memory, state)];
      }
    }
    plant_.true_signals(state, {result.data() + n, plant_.sensor_count()});
    return result;
  }

  Plant& plant_;
  State base_;
  StepInput input_;
  double move_;
  std::vector<NamedState> states_;
  std::vector<char> held_;
};

/// The matrices in the same arrangement: [A B; C A, C B + D].
inline MatrixX whole(const Linearization& of) {
  MatrixX result(of.A.rows() + of.C.rows(), of.A.cols() + of.B.cols());
  result << of.A, of.B, of.C * of.A, of.C * of.B + of.D;
  return result;
}

/// The largest difference of an entry, each row against its largest entry. What is locked, or moved by nothing, has
/// rows of rounding errors only: kNothing, the uncertainty that linearisations of random linkages are held to, is still
/// zero.
inline double row_wise_difference(const MatrixX& a, const MatrixX& b) {
  constexpr double kNothing = 1e-8;
  double worst = 0.0;
  for (Eigen::Index r = 0; r < a.rows(); ++r) {
    const double difference = (a.row(r) - b.row(r)).cwiseAbs().maxCoeff();
    if (difference > kNothing) worst = std::max(worst, difference / b.row(r).cwiseAbs().maxCoeff());
  }
  return worst;
}

/// Which entry of x has this name; -1: none.
inline Eigen::Index index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : found - names.begin();
}

}  // namespace kinloop

// Owns the interface behind which every contestant evaluates the same mechanism.
// C++17, as one of the libraries does not compile in C++20.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/mechanism.hpp"

namespace kinloop::bench {

/// One library, one mechanism. Conversions from and to the neutral layout happen outside the timed functions.
class Peer {
 public:
  virtual ~Peer() = default;

  /// Converts the states to the library's own layout; untimed.
  virtual void load_states(const std::vector<MotionState>& states) = 0;

  /// Timed: writes loaded state `index` into the library and evaluates the accelerations, nothing cached.
  virtual void forward_dynamics(int index) = 0;

  /// Writes loaded state `index`, from which `step` goes on.
  virtual void set_state(int index) = 0;

  /// Timed: one semi-implicit Euler step (v += dt vdot, then q by the new v) under the loads of the state set; loops
  /// are kept closed in the library's own way. False if the library says that it failed.
  virtual bool step(double dt_s) = 0;

  /// From now on steps are by the classical Runge-Kutta method, if the library has it.
  virtual bool use_rk4() { return false; }

  /// The accelerations last evaluated by forward_dynamics, in the layout of MotionState::v; untimed.
  virtual void read_acceleration(std::vector<double>& vdot) const = 0;

  /// Writes q and v of the state that step() has reached; untimed.
  virtual void read_state(MotionState& state) const = 0;
};

/// A contestant: its name, the configuration measured, and how to build a mechanism in it.
struct Contestant {
  std::string name;
  std::string configuration;
  std::function<std::unique_ptr<Peer>(const Mechanism&)> build;  // null if it cannot treat the mechanism
};

/// What a peer's module exports under the name kPeerEntryPoint; the caller owns the result.
using PeerEntryPoint = Contestant*();
inline constexpr const char* kPeerEntryPoint = "kinloop_bench_peer";

}  // namespace kinloop::bench

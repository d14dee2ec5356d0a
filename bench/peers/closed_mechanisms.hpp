// Owns the mechanisms with closed loops that are measured, and their closed states.
#pragma once

#include <vector>

#include "bench/peers/mechanism.hpp"

namespace kinloop::bench {

/// Which joint of each window of the N-four-bar closes its loop.
enum class Cut {
  kAtGround,  // the bearings of all upright rods but the first: one long chain, as in configs/models/n_four_bar.yaml
  kAtTop,     // the upper ends of the couplers: every upright rod stands on the ground, all chains are short
};

/// IFToMM A02: `windows` windows of rods of 1 m and 1 kg in the x-y plane. Body order: bar0, coup1, bar1, coup2, ...
Mechanism n_four_bar(int windows, Cut cut);

/// On the parallelogram branch, all upright rods at `angle_rad` against x. The same numbers for both cuts.
MotionState n_four_bar_state(int windows, double angle_rad, double rate_radps);

/// `count` four-bars in series, each standing on the coupler of the one before: as many dofs as loops.
Mechanism four_bar_chain(int count);

/// Every parallelogram at its own angle; `index` makes different ones.
MotionState four_bar_chain_state(int count, int index);

/// The hexapod of configs/models/stewart_platform.yaml; forces of the drives are part of the state.
Mechanism stewart_platform();

/// Platform raised, tilted and moving, different for every `index`; the drives carry its weight and a little more.
MotionState stewart_platform_state(int index);

/// A mechanism with states that close its loops.
struct ClosedMechanism {
  Mechanism mechanism;
  std::vector<MotionState> states;
};

ClosedMechanism n_four_bar_with_states(int windows, Cut cut, int count);
ClosedMechanism four_bar_chain_with_states(int links, int count);
ClosedMechanism stewart_platform_with_states(int count);

/// The same states without motion.
std::vector<MotionState> at_rest(std::vector<MotionState> states);

}  // namespace kinloop::bench

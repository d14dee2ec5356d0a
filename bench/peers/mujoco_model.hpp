// Owns the mechanism as an mjModel.
#pragma once

#include <mujoco/mujoco.h>

#include <string>

#include "bench/peers/mechanism.hpp"

namespace kinloop::bench {

/// Owned by the caller. Bodies and joints have the names of ours; the second axis of a universal joint ends in "_2".
/// With loops, connect constraints as hard as MuJoCo lets them be; without, nothing but the smooth dynamics.
mjModel* load_model(const Mechanism& mechanism);

}  // namespace kinloop::bench

// Owns where threads of a run go: cores of plant and watchdog, and what threads that stop are given.
#pragma once

#include "rt/loop/thread_setup.hpp"
#include "services/host/host_facts.hpp"
#include "services/rig/rig_spec.hpp"

namespace kinloop::run {

/// As far as the rig leaves it open: the plant gets a core of its own if there is one; the watchdog is not to
/// interrupt it.
void choose_cores(const host::HostFacts& host, RigSpec& spec);

/// Of threads that stop, once cores are chosen: below the watchdog; on the plant's own core below the plant.
rt::ThreadWishes stop_wishes(const RigSpec& spec);

}  // namespace kinloop::run

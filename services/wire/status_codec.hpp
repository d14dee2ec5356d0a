// Owns what is told of a running plant: its status and its timing, as messages.
#pragma once

#include <kinloop/v1/event.pb.h>

#include "rt/loop/loop_status.hpp"
#include "services/rig/rig_spec.hpp"
#include "services/timing/timing_summary.hpp"

namespace kinloop::wire {

/// The plant's own part: step, time, counters, faults.
void to_wire(const rt::LoopStatus& status, const PlantSpec& plant, v1::Status& out);
void to_wire(const timing::TimingSummary& summary, v1::Timing& out);

}  // namespace kinloop::wire

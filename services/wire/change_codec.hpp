// Converts changes (faults, overrides, forces) between the plant and messages.
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/v1/state.pb.h>

#include "core/plant/step_change.hpp"

namespace kinloop::wire {

void to_wire(const StepChange& change, v1::StepChange& out);
v1::FaultKind kind_of(SignalFault fault);
/// kNone for a kind that is unknown here.
SignalFault fault_of(v1::FaultKind kind);

/// Whether it makes sense the plant judges.
StepChange change_of(const v1::StepChange& wire);

}  // namespace kinloop::wire

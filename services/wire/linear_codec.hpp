// Converts linearisations, trajectories and trims between the solver and messages.
#pragma once

#include <kinloop/v1/control.pb.h>

#include "core/analysis/linearize.hpp"
#include "core/analysis/trajectory.hpp"
#include "core/analysis/trim.hpp"

namespace kinloop::wire {

void to_wire(const Linearization& result, v1::LinearizeReply& reply);
/// An error where matrices do not fit the names.
Result<Linearization> linearization_of(const v1::LinearizeReply& reply);

/// All but the names of inputs and outputs.
void to_wire(const Trajectory& way, const Model& model, v1::LinearizeTrajectoryReply& reply);

QuadraticCost cost_of(const v1::QuadraticCost& cost);

/// All but the snapshot.
void to_wire(const Trim& found, v1::TrimReply& reply);
TrimSettings trim_settings_of(const v1::TrimRequest& request);

}  // namespace kinloop::wire

// Converts linearisations between the solver and messages.
#pragma once

#include <kinloop/v1/control.pb.h>

#include "core/analysis/linearize.hpp"

namespace kinloop::wire {

void to_wire(const Linearization& result, v1::LinearizeReply& reply);
/// An error where matrices do not fit the names.
Result<Linearization> linearization_of(const v1::LinearizeReply& reply);

}  // namespace kinloop::wire

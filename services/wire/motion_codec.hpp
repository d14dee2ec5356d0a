// Owns Motion on the wire.
#pragma once

#include <kinloop/v1/frames.pb.h>

#include "rt/messages/pose_sample.hpp"

namespace kinloop::wire {

/// No allocation of ours once `out` has grown.
void to_wire(const rt::PoseSample& motion, v1::Motion& out);

}  // namespace kinloop::wire

// Owns Motion on the wire.
#pragma once

#include <kinloop/v1/frames.pb.h>

#include "rt/motion.hpp"

namespace kinloop::io {

/// No allocation of ours once `out` has grown.
void to_wire(const rt::Motion& motion, v1::Motion& out);

}  // namespace kinloop::io

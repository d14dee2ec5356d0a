// Replaces each sensor's value by what its on_fault says.
#include "rt/messages/fault_frame.hpp"

#include <algorithm>
#include <limits>

namespace kinloop::rt {

void apply_on_fault(std::span<const SensorSpec> sensors, SensorFrame& frame) noexcept {
  frame.flags |= frame_flag::kFaulted;
  const std::size_t count = std::min<std::size_t>({sensors.size(), frame.count, kMaxSensors});
  for (std::size_t i = 0; i < count; ++i) {
    if (sensors[i].on_fault == OnFault::kValue) frame.value[i] = sensors[i].fault_value;
    if (sensors[i].on_fault == OnFault::kInvalid) {
      frame.value[i] = std::numeric_limits<double>::quiet_NaN();
      frame.quality[i] |= sensor_flag::kInvalid;
    }
  }
}

}  // namespace kinloop::rt

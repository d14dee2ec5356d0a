// Owns UdpLayout: which signals the frames of a UDP adapter carry, in which order, and the number that stands for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "services/rig/rig_file.hpp"

namespace kinloop::io {

struct UdpSignal {
  std::string name;
  std::string unit;
  std::size_t index = 0;  // in the rig
  double lower = 0.0;     // of commands
  double upper = 0.0;
};

struct UdpLayout {
  std::vector<UdpSignal> actuators;
  std::vector<UdpSignal> sensors;
  std::uint64_t hash = 0;  // of names, units and order alone: a rig may be tuned without touching the controller

  std::vector<std::size_t> actuator_indices() const;
  std::vector<std::size_t> sensor_indices() const;
};

/// The names are of the rig: its reader saw to that.
UdpLayout make_udp_layout(const LoadedRig& rig, const UdpAdapterSpec& adapter);

}  // namespace kinloop::io

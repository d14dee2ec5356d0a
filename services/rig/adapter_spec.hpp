// Owns AdapterSpec: what a rig file says of the wires that are not ZeroMQ, one struct a kind.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace kinloop {

/// Frames of a fixed layout over UDP.
struct UdpAdapterSpec {
  std::string listen = "127.0.0.1";  // a number, no name
  int port = 0;                      // 0: any that is free; not in files
  std::vector<std::string> senders;  // that may command, as numbers; none: all that reach it
  std::string peer;                  // where frames of sensors go; empty: to who commands
  int peer_port = 0;
  bool insecure = false;               // consent to an address beyond loopback, where anybody may send
  std::vector<std::string> actuators;  // in the order of the values
  std::vector<std::string> sensors;
  int every = 1;         // steps from frame to frame
  double lease_s = 0.1;  // of silence

  bool replies() const noexcept { return peer.empty(); }
};

/// What is between two rows of a stimulus.
enum class Interpolation { kHold, kLinear };

/// A stimulus from a file.
struct PlaybackAdapterSpec {
  std::filesystem::path file;  // absolute; *.mcap is a record, all else CSV
  Interpolation interpolation = Interpolation::kHold;
  bool repeat = false;
  double start_s = 0.0;  // of the plant's time: the zero of the file's
};

using AdapterSpec = std::variant<UdpAdapterSpec, PlaybackAdapterSpec>;

inline bool has_playback(const std::vector<AdapterSpec>& adapters) noexcept {
  return std::any_of(adapters.begin(), adapters.end(),
                     [](const AdapterSpec& adapter) { return std::holds_alternative<PlaybackAdapterSpec>(adapter); });
}

/// Why a playback is refused there.
inline constexpr const char* kNoPlaybackInFree =
    "in mode free the plant runs ahead of any stimulus: use lockstep, which is as fast and hits every step";

}  // namespace kinloop

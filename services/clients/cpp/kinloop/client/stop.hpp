// Owns the emergency stop as a client sees it: the stop socket of the plant's supervisor, which needs no io, and that
// of io, which needs no supervisor.
//
// What is said there is a line, "stop\n", over unix sockets "stop" and "stop_io" in the plant's folder or as a ZeroMQ
// message at the ports four and five after that of control; the answer is one line too: stop_line().
#pragma once

#include <kinloop/client/options.hpp>
#include <kinloop/client/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinloop::client {

inline constexpr std::string_view kStopWord = "stop\n";
inline constexpr std::string_view kNotLatched = "not latched\n";

/// That the plant latched a stop, as it stands in its memory.
struct StopReceipt {
  std::uint64_t step = 0;        // the first one that feels it
  std::uint64_t tick = 0;        // the iteration of the plant's loop that latched it
  std::uint64_t asked_tick = 0;  // the one in which it was asked
};

/// "latched STEP TICK ASKED\n", as it is sent and read; nothing where a line says something else.
std::string stop_line(const StopReceipt& receipt);
std::optional<StopReceipt> read_stop_line(std::string_view line);

/// Whose stop socket is meant.
enum class StopSocketOf { kSupervisor, kIo };
/// Where the stop socket beside this control socket is: "unix:///folder/stop", "tcp://host:5604", that of io
/// "unix:///folder/stop_io", "tcp://host:5605"; nothing where that has none.
std::optional<std::string> stop_address_beside(std::string_view control, StopSocketOf whose);

struct StoppedPlant {
  std::string rig;  // of a plant of this host; else empty
  StopReceipt receipt;
};
/// Stops a plant, named as for Plant::connect(), by its stop sockets alone: for when control does not answer. Asks
/// again until it is confirmed or the time of the options is over.
Result<StoppedPlant> request_stop(const std::string& plant, const Options& options);

}  // namespace kinloop::client

// Owns the stop socket as a client sees it: a unix socket of the supervisor's own, in the plant's private folder, that
// works whatever io does.
//
// The client sends "stop\n"; the answer is one line, "latched STEP TICK ASKED\n": the first step that feels the stop,
// the iteration of the plant's loop in which it was latched and the one in which it was asked for; or "not latched\n".
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop::net {

inline constexpr const char* kStopSocket = "stop";
inline constexpr std::string_view kStopWord = "stop\n";

struct StopReply {
  std::string rig;
  std::uint64_t step = 0, tick = 0, asked_tick = 0;
};

/// The line as it is sent, and read; an error where the plant did not latch it, or the line makes no sense.
std::string text_of(const StopReply& reply);
Result<StopReply> read_stop_reply(std::string_view line);

/// A descriptor of the socket at this path, which the caller closes: connected to it, or listening there for this user
/// alone; -1 with errno.
int connect_unix(const std::filesystem::path& path);
int listen_unix(const std::filesystem::path& path);

/// Stops the plant that is named as for kinloop ctl: a rig, <rig>-<pid>, the address of its local control socket, or
/// empty for the only one. Waits for the confirmation until `gives_up`, five seconds at most.
Result<StopReply> request_stop(const std::string& plant, const std::filesystem::path& runtime,
                               const std::function<bool()>& gives_up);

}  // namespace kinloop::net

// Owns the local stop socket: a unix socket of the supervisor's own, in the plant's private folder, that works whatever
// io does. What is said there is defined by the C++ client: kinloop/client/stop.hpp.
#pragma once

#include <filesystem>

namespace kinloop::net {

/// Its name in the folder, and that of all stop sockets among a plant's endpoints.
inline constexpr const char* kStopSocket = "stop";
/// The same of io, which works whatever the supervisor does; the local one is known by its place alone.
inline constexpr const char* kIoStopSocket = "stop_io";

/// A descriptor of the socket at this path, which the caller closes, listening for this user alone; -1 with errno.
int listen_unix(const std::filesystem::path& path);

}  // namespace kinloop::net

// Owns the finding of plants: which run on this host, and where a named one is reached.
#pragma once

#include <kinloop/client/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinloop::v1 {
class Description;
}

namespace kinloop::client {

/// One that runs on this host, as its file "endpoints" tells it.
struct RunningPlant {
  std::string name;  // "four_bar-4711"
  std::string rig;
  std::string mode;  // "real_time", "lockstep", "free"
  long pid = 0;
  std::string control, actuators, sensors, events;  // addresses
};

/// $KINLOOP_RUNTIME_DIR, else $XDG_RUNTIME_DIR/kinloop, else /tmp/kinloop-<uid>.
std::filesystem::path default_runtime_folder();

/// One line "what value" of a file "endpoints".
struct EndpointLine {
  std::string what, value;
};
/// In their order; lines of another form are passed over.
std::vector<EndpointLine> endpoint_lines(std::string_view text);

/// The text of a file "endpoints"; nothing where it lacks the pid or the control address.
std::optional<RunningPlant> parse_endpoints(std::string_view text);

/// Those in the folder whose process is there, by name.
std::vector<RunningPlant> running_plants(const std::filesystem::path& runtime_folder);

/// Where the control socket of a plant is: `plant` is empty (the only one that runs), a rig's name, "<rig>-<pid>", or
/// an address already.
Result<std::string> find_control_address(std::string_view plant, const std::filesystem::path& runtime_folder);

/// Where a client of this host and user asks the plant for a lane, which its frames travel by then:
/// "unix:///folder/lane". Empty: it uses the sockets.
std::string reachable_lane(const v1::Description& plant);

/// `address` with the host of `control` where it has none of its own (0.0.0.0, *, [::]).
std::string reachable_address(std::string_view address, std::string_view control);

}  // namespace kinloop::client

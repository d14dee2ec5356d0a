// Reads the runtime folder; a plant whose process is gone left its folder behind and is passed over.
#include <kinloop/v1/describe.pb.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/stat.h>
#include <unistd.h>
#include <kinloop/client/discovery.hpp>
#include <kinloop/client/lane.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "src/text.hpp"

namespace kinloop::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEndpointsBytes = 64UL << 10;
constexpr std::string_view kSchemeEnd = "://";

bool is_running(long pid) noexcept {
  // EPERM: somebody else's, but there.
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
}

/// "four_bar-4711 (real_time), pendulum-4712 (free)".
std::string list_of(const std::vector<RunningPlant>& plants) {
  std::string text;
  for (const RunningPlant& plant : plants) {
    text += (text.empty() ? "" : ", ") + plant.name + (plant.mode.empty() ? "" : " (" + plant.mode + ")");
  }
  return text;
}

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables here
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

/// Host and port of a tcp address; the host with its brackets, and without a source address before it.
struct HostPort {
  std::string_view host, port;
};

std::optional<HostPort> host_port_of(std::string_view address) {
  constexpr std::string_view kTcp = "tcp://";
  if (!address.starts_with(kTcp)) return std::nullopt;
  address.remove_prefix(kTcp.size());
  if (const std::size_t source = address.find(';'); source != std::string_view::npos) address.remove_prefix(source + 1);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return HostPort{address.substr(0, colon), address.substr(colon + 1)};
}

bool is_wildcard(std::string_view host) {
  return host == "0.0.0.0" || host == "*" || host == "[::]" || host == "::" || host.empty();
}

}  // namespace

fs::path default_runtime_folder() {
  if (const auto folder = environment("KINLOOP_RUNTIME_DIR")) return *folder;
  if (const auto folder = environment("XDG_RUNTIME_DIR")) return fs::path(*folder) / "kinloop";
  return "/tmp/kinloop-" + std::to_string(getuid());
}

std::vector<EndpointLine> endpoint_lines(std::string_view text) {
  std::vector<EndpointLine> lines;
  for_each_line(text, [&](std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return;
    lines.push_back({std::string(line.substr(0, blank)), std::string(without_blanks(line.substr(blank + 1)))});
  });
  return lines;
}

std::optional<RunningPlant> parse_endpoints(std::string_view text) {
  RunningPlant plant;
  for (const auto& [key, value] : endpoint_lines(text)) {
    if (key == "pid") std::from_chars(value.data(), value.data() + value.size(), plant.pid);
    if (key == "rig") plant.rig = value;
    if (key == "mode") plant.mode = value;
    // The first address of a socket is the local one, which needs no keys.
    const auto keep_first = [&key = key, &value = value](std::string_view socket, std::string& address) {
      if (key == socket && address.empty()) address = value;
    };
    keep_first("control", plant.control);
    keep_first("actuators", plant.actuators);
    keep_first("sensors", plant.sensors);
    keep_first("events", plant.events);
  }
  constexpr long kMaxPid = 1L << 22;
  if (plant.pid <= 0 || plant.pid > kMaxPid || plant.control.empty()) return std::nullopt;
  return plant;
}

std::vector<RunningPlant> running_plants(const fs::path& runtime_folder) {
  std::vector<RunningPlant> plants;
  std::error_code failed;
  fs::directory_iterator entry(runtime_folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const Result<std::string> text = read_small_file(entry->path() / "endpoints", kMaxEndpointsBytes);
    if (!text) continue;
    std::optional<RunningPlant> plant = parse_endpoints(*text);
    if (!plant || !is_running(plant->pid)) continue;
    plant->name = entry->path().filename().string();
    plants.push_back(std::move(*plant));
  }
  std::sort(plants.begin(), plants.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return plants;
}

Result<std::string> find_control_address(std::string_view plant, const fs::path& runtime_folder) {
  if (plant.find(kSchemeEnd) != std::string_view::npos) return std::string(plant);
  const std::vector<RunningPlant> all = running_plants(runtime_folder);
  if (all.empty()) {
    return Error{ErrorKind::kNotFound, "no plant runs on this host (none in " + runtime_folder.string() +
                                           "): kinloop run RIG starts one; one elsewhere is named by its address"};
  }
  std::vector<RunningPlant> named;
  for (const RunningPlant& one : all) {
    if (one.name == plant) return one.control;
    if (plant.empty() || one.rig == plant) named.push_back(one);
  }
  if (named.size() == 1) return named.front().control;
  if (named.empty()) {
    return Error{ErrorKind::kNotFound,
                 "no plant '" + std::string(plant) + "' runs on this host; there is " + list_of(all)};
  }
  return Error{ErrorKind::kUsage, "several plants run: name one of " + list_of(named)};
}

/// A socket of that name on another host, or of another plant, gives no lane to a lease that it does not know.
std::string reachable_lane(const v1::Description& plant) {
  constexpr std::string_view kUnix = "unix://";
  for (const v1::Endpoint& endpoint : plant.endpoints()) {
    if (endpoint.socket() != lane::kEndpoint || !endpoint.address().starts_with(kUnix)) continue;
    struct stat file {};
    const bool is_there = ::stat(endpoint.address().c_str() + kUnix.size(), &file) == 0 && S_ISSOCK(file.st_mode);
    if (is_there && file.st_uid == ::geteuid()) return endpoint.address();
  }
  return {};
}

std::string reachable_address(std::string_view address, std::string_view control) {
  const auto own = host_port_of(address);
  if (!own || !is_wildcard(own->host)) return std::string(address);
  const auto other = host_port_of(control);
  // A control socket in the file system is on this host.
  const std::string_view host = other && !is_wildcard(other->host) ? other->host : "127.0.0.1";
  return "tcp://" + std::string(host) + ":" + std::string(own->port);
}

}  // namespace kinloop::client

// Finds the socket, asks once, waits for one line.
#include "services/net/stop_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <sstream>
#include <system_error>
#include <vector>

#include "services/base/error_text.hpp"

namespace kinloop::net {
namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 16;
constexpr int kLook_ms = 10;  // at what else may end the waiting
constexpr std::chrono::seconds kStopPatience{5};

bool fill(const fs::path& path, sockaddr_un& address) {
  const std::string text = path.string();
  address.sun_family = AF_UNIX;
  if (text.size() >= sizeof(address.sun_path)) return false;
  text.copy(address.sun_path, text.size());
  return true;
}

/// Closed at its end.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const noexcept { return number_; }

 private:
  int number_;
};

/// "four_bar-4711" → "four_bar".
std::string rig_of(const std::string& folder) { return folder.substr(0, folder.rfind('-')); }

/// Folders of plants of that name, of all where it is empty.
std::vector<fs::path> folders_of(const std::string& plant, const fs::path& runtime) {
  constexpr std::string_view kIpc = "ipc://";
  if (plant.starts_with(kIpc)) return {fs::path(plant.substr(kIpc.size())).parent_path()};
  if (plant.find("://") != std::string::npos) return {};
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(runtime, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (plant.empty() || name == plant || rig_of(name) == plant) found.push_back(entry->path());
  }
  return found;
}

Result<StopReply> await_reply(int socket, const std::function<bool()>& gives_up) {
  const auto until = std::chrono::steady_clock::now() + kStopPatience;
  std::string line;
  while (std::chrono::steady_clock::now() < until && !gives_up()) {
    pollfd waits{socket, POLLIN, 0};
    if (::poll(&waits, 1, kLook_ms) <= 0) continue;
    std::array<char, 128> bytes{};
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count <= 0) break;
    line.append(bytes.data(), static_cast<std::size_t>(count));
    if (line.find('\n') != std::string::npos) return read_stop_reply(line);
  }
  return Error{"stop socket", "did not confirm the stop"};
}

}  // namespace

std::string text_of(const StopReply& reply) {
  return "latched " + std::to_string(reply.step) + " " + std::to_string(reply.tick) + " " +
         std::to_string(reply.asked_tick) + "\n";
}

Result<StopReply> read_stop_reply(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string verdict;
  StopReply reply;
  if (words >> verdict >> reply.step >> reply.tick >> reply.asked_tick && verdict == "latched") return reply;
  return Error{"stop socket", "the plant did not latch the stop"};
}

int connect_unix(const fs::path& path) {
  sockaddr_un address{};
  if (!fill(path, address)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return socket;
  }
  const int error = errno;
  if (socket >= 0) ::close(socket);
  errno = error;
  return -1;
}

int listen_unix(const fs::path& path) {
  sockaddr_un address{};
  if (!fill(path, address)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  ::fchmod(socket, S_IRUSR | S_IWUSR);  // as bind() makes the file then
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      ::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0 && ::listen(socket, kBacklog) == 0) {
    return socket;
  }
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

Result<StopReply> request_stop(const std::string& plant, const fs::path& runtime,
                               const std::function<bool()>& gives_up) {
  std::vector<fs::path> alive;
  for (const fs::path& folder : folders_of(plant, runtime)) {
    const Descriptor socket(connect_unix(folder / kStopSocket));
    if (socket.get() >= 0) alive.push_back(folder);
  }
  if (alive.size() != 1) return Error{"stop socket", alive.empty() ? "there is none" : "several plants run"};
  const Descriptor socket(connect_unix(alive.front() / kStopSocket));
  if (socket.get() < 0 || ::send(socket.get(), kStopWord.data(), kStopWord.size(), MSG_NOSIGNAL) < 0) {
    return Error{"stop socket", "cannot be reached: " + host::error_text()};
  }
  Result<StopReply> reply = await_reply(socket.get(), gives_up);
  if (reply) reply->rig = rig_of(alive.front().filename().string());
  return reply;
}

}  // namespace kinloop::net

// Never waits for a connection: what cannot be said now is said again.
#include "src/stop_channel.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <kinloop/client/discovery.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sstream>
#include <utility>

namespace kinloop::client {
namespace {

constexpr std::string_view kUnix = "unix://";
constexpr std::string_view kTcpScheme = "tcp://";
constexpr std::string_view kIpcScheme = "ipc://";
constexpr std::chrono::milliseconds kStopRound{100};
constexpr long kLook_ms = 20;

/// "ipc:///run/kinloop/four_bar-4711/control" → "four_bar".
std::string rig_of(const std::string& control) {
  if (!control.starts_with(kIpcScheme)) return {};
  const std::string folder = std::filesystem::path(control.substr(kIpcScheme.size())).parent_path().filename().string();
  return folder.substr(0, folder.rfind('-'));
}

Result<Socket> open_remote(const Context& context, const StopPlace& place) {
  SocketSettings settings;
  settings.only_when_connected = true;  // a stop that was confirmed otherwise is not delivered late
  return Socket::open(context, settings, place.keys, place.address);
}

}  // namespace

std::string stop_line(const StopReceipt& receipt) {
  return "latched " + std::to_string(receipt.step) + " " + std::to_string(receipt.tick) + " " +
         std::to_string(receipt.asked_tick) + "\n";
}

std::optional<StopReceipt> read_stop_line(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string verdict;
  StopReceipt receipt;
  if (words >> verdict >> receipt.step >> receipt.tick >> receipt.asked_tick && verdict == "latched") return receipt;
  return std::nullopt;
}

std::optional<std::string> stop_address_beside(std::string_view control, StopSocketOf whose) {
  const bool is_io = whose == StopSocketOf::kIo;
  if (control.starts_with(kIpcScheme)) {
    const std::filesystem::path path(control.substr(kIpcScheme.size()));
    return std::string(kUnix) + (path.parent_path() / (is_io ? "stop_io" : "stop")).string();
  }
  const std::size_t colon = control.rfind(':');
  if (!control.starts_with(kTcpScheme) || colon == std::string_view::npos) return std::nullopt;
  const unsigned after_control = is_io ? 5 : 4;
  constexpr unsigned kLastPort = 65535;
  unsigned port = 0;
  const std::string_view text = control.substr(colon + 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port + after_control > kLastPort) return std::nullopt;
  return std::string(control.substr(0, colon + 1)) + std::to_string(port + after_control);
}

Result<StopChannel> StopChannel::open(const Context& context, const std::vector<StopPlace>& places) {
  StopChannel channel(context);
  for (const StopPlace& place : places) {
    if (place.address.starts_with(kUnix)) {
      channel.lines_.push_back({place.address.substr(kUnix.size())});
      continue;
    }
    Result<Socket> socket = open_remote(context, place);
    if (!socket) return socket.error();
    channel.remotes_.push_back({place, std::move(*socket)});
  }
  return channel;
}

StopChannel::StopChannel(StopChannel&& other) noexcept
    : context_(other.context_),
      remotes_(std::move(other.remotes_)),
      inbox_(std::move(other.inbox_)),
      lines_(std::exchange(other.lines_, {})) {}

StopChannel::~StopChannel() { hang_up(); }

void StopChannel::hang_up() noexcept {
  for (Line& line : lines_) hang_up(line);
}

void StopChannel::hang_up(Line& line) noexcept {
  if (line.socket >= 0) ::close(line.socket);
  line.socket = -1;
  line.said.clear();
}

void StopChannel::begin() {
  hang_up();
  for (Remote& remote : remotes_) begin(remote);
}

void StopChannel::begin(Remote& remote) {
  while (remote.socket && remote.socket->receive_now(*inbox_)) remote.asked = std::max(0, remote.asked - 1);
  if (remote.socket && remote.asked == 0) return;
  remote.socket.reset();
  remote.asked = 0;
  if (Result<Socket> fresh = open_remote(*context_, remote.place)) remote.socket.emplace(std::move(*fresh));
}

void StopChannel::ask() noexcept {
  for (Line& line : lines_) ask(line);
  for (Remote& remote : remotes_) {
    if (remote.socket && remote.socket->send(kStopWord)) ++remote.asked;  // without a connection it is said again later
  }
}

void StopChannel::ask(Line& line) noexcept {
  if (line.socket >= 0) return;  // it waits there, and is read whenever the other side can
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (line.path.size() >= sizeof(address.sun_path)) return;
  line.path.copy(address.sun_path, line.path.size());
  line.socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool is_said = line.socket >= 0 &&
                       ::connect(line.socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
                       ::send(line.socket, kStopWord.data(), kStopWord.size(), MSG_NOSIGNAL) > 0;
  if (!is_said) hang_up(line);
}

std::optional<StopReceipt> StopChannel::take() {
  for (Line& line : lines_) {
    if (const auto receipt = take(line)) return receipt;
  }
  for (Remote& remote : remotes_) {
    if (const auto receipt = take(remote)) return receipt;
  }
  return std::nullopt;
}

std::optional<StopReceipt> StopChannel::take(Remote& remote) {
  while (remote.socket && remote.socket->receive_now(*inbox_)) {
    remote.asked = std::max(0, remote.asked - 1);
    if (const auto receipt = read_stop_line(inbox_->part(0))) return receipt;
  }
  return std::nullopt;
}

std::optional<StopReceipt> StopChannel::take(Line& line) {
  if (line.socket < 0) return std::nullopt;
  std::array<char, 128> bytes{};
  const ssize_t count = ::recv(line.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (count > 0) line.said.append(bytes.data(), static_cast<std::size_t>(count));
  const bool is_whole = line.said.ends_with('\n');
  const auto receipt = is_whole ? read_stop_line(line.said) : std::nullopt;
  if (count <= 0 || is_whole) hang_up(line);  // the next round asks again
  return receipt;
}

void StopChannel::add_poll_items(std::vector<zmq_pollitem_t>& items) const {
  for (const Remote& remote : remotes_) {
    if (remote.socket) items.push_back(remote.socket->poll_item());
  }
  for (const Line& line : lines_) {
    if (line.socket >= 0) items.push_back({nullptr, line.socket, ZMQ_POLLIN, 0});
  }
}

StopOutcome ask_until_confirmed(StopChannel* channel, ControlChannel* control, Clock::time_point until,
                                const std::function<bool()>& gives_up) {
  StopOutcome outcome;
  if (channel != nullptr) channel->begin();
  if (control != nullptr) control->begin_stop();
  std::vector<zmq_pollitem_t> items;
  Clock::time_point next = Clock::now();
  while (Clock::now() < until && !(gives_up && gives_up())) {
    if (Clock::now() >= next) {
      next = Clock::now() + kStopRound;
      if (channel != nullptr) channel->ask();
      if (control != nullptr) control->ask_stop();
    }
    items.clear();
    if (control != nullptr) items.push_back(control->poll_item());
    if (channel != nullptr) channel->add_poll_items(items);
    zmq_poll(items.data(), static_cast<int>(items.size()), kLook_ms);
    if (channel != nullptr && (outcome.receipt = channel->take())) return outcome;
    if (control == nullptr) continue;
    if (auto reply = control->take_stop()) outcome.reply.emplace(std::move(*reply));
    if (outcome.reply && (*outcome.reply || channel == nullptr)) return outcome;
  }
  return outcome;
}

Result<StoppedPlant> request_stop(const std::string& plant, const Options& options) {
  const std::filesystem::path folder =
      options.runtime_folder.empty() ? default_runtime_folder() : options.runtime_folder;
  const Result<std::string> control = find_control_address(plant, folder);
  if (!control) return control.error();
  Result<Keys> keys = checked_keys(options.keys);
  if (!keys) return keys.error();
  std::vector<StopPlace> places;
  for (const StopSocketOf whose : {StopSocketOf::kSupervisor, StopSocketOf::kIo}) {
    if (auto address = stop_address_beside(*control, whose)) places.push_back({std::move(*address), *keys});
  }
  if (places.empty()) return Error{ErrorKind::kNotFound, *control + " has no stop socket beside it"};
  const Context context(options.context);
  Result<StopChannel> channel = StopChannel::open(context, places);
  if (!channel) return channel.error();
  const StopOutcome outcome = ask_until_confirmed(&*channel, nullptr, Clock::now() + options.timeout, options.gives_up);
  if (outcome.receipt) return StoppedPlant{rig_of(*control), *outcome.receipt};
  return Error{ErrorKind::kNoAnswer, places.front().address + " did not confirm the stop"};
}

}  // namespace kinloop::client

// Bounded in clients, bytes and time; a stop takes effect the moment it is read, whoever else is connected.
#include "services/run/stop_server.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "rt/timing/clock.hpp"

namespace kinloop::run {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMaxStopClients = 64;         // a door
constexpr int kMaxAccepted = 32;                    // a door and round: clients that are there are heard in between
constexpr std::chrono::seconds kStopClientTime{5};  // without a whole word
constexpr int kIdle_ms = 50;
constexpr int kPending_ms = 1;
constexpr std::chrono::microseconds kCrowdedPause{500};  // this thread may go before others

}  // namespace

StopServer::StopServer(std::vector<StopDoor> doors, StopServerOptions options, rt::PlantMemory& memory, rt::Beat& beat,
                       log::Logger log)
    : doors_(std::move(doors)), options_(std::move(options)), memory_(memory), beat_(beat), log_(log), thread_([this] {
        serve();
      }) {}

StopServer::~StopServer() {
  ends_.store(true, std::memory_order_relaxed);
  for (const StopDoor& door : doors_) ::shutdown(door.listener, SHUT_RDWR);  // which wakes the thread
  thread_.join();
  for (const Client& client : clients_) ::close(client.socket);
  for (const StopDoor& door : doors_) ::close(door.listener);
}

void StopServer::serve() {
  ::pthread_setname_np(::pthread_self(), "stop");  // for ps and top
  const rt::ThreadSetup setup(options_.wishes);
  if (options_.when_set_up) options_.when_set_up();
  while (!ends_.load(std::memory_order_relaxed)) {
    beat_.show(rt::MonotonicClock().now_ns());
    std::vector<pollfd> waits;
    for (const StopDoor& door : doors_) waits.push_back({door.listener, POLLIN, 0});
    bool is_pending = false;
    for (const Client& client : clients_) {
      const bool has_asked = client.call.count != 0;
      waits.push_back({has_asked ? -1 : client.socket, POLLIN, 0});
      is_pending = is_pending || has_asked;
    }
    ::poll(waits.data(), waits.size(), is_pending ? kPending_ms : kIdle_ms);
    for (std::size_t i = clients_.size(); i-- > 0;) {
      Client& client = clients_[i];
      const bool is_late = Steady::now() - client.since > kStopClientTime;
      const bool goes_on = client.call.count == 0 ? listen_to(client) && !is_late : !answer(client);
      if (!goes_on) drop(i);
    }
    bool is_crowded = false;
    for (const StopDoor& door : doors_) is_crowded = accept_some(door) || is_crowded;
    if (is_crowded) std::this_thread::sleep_for(kCrowdedPause);
  }
  beat_.end();
}

/// Whether there are more.
bool StopServer::accept_some(const StopDoor& door) {
  for (int i = 0; i < kMaxAccepted; ++i) {
    const int socket = ::accept4(door.listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return errno == EMFILE || errno == ENFILE;  // not again at once
    Client client{socket, door.protocol.get(), {}, {}, Steady::now()};
    if (!door.protocol->lets_in(socket) || !listen_to(client)) {
      ::close(socket);
      continue;
    }
    make_room(door.protocol.get());
    clients_.push_back(std::move(client));
  }
  return true;
}

/// The oldest that has not asked for a stop goes, else the oldest, whose stop is in force.
void StopServer::make_room(const StopProtocol* protocol) {
  const auto is_same = [&](const Client& client) { return client.protocol == protocol; };
  if (std::count_if(clients_.begin(), clients_.end(), is_same) < static_cast<std::ptrdiff_t>(kMaxStopClients)) return;
  auto oldest = std::find_if(clients_.begin(), clients_.end(),
                             [&](const Client& client) { return is_same(client) && client.call.count == 0; });
  if (oldest == clients_.end()) oldest = std::find_if(clients_.begin(), clients_.end(), is_same);
  if (oldest->call.count == 0) listen_to(*oldest);  // a stop is in force, even if nobody is told
  drop(static_cast<std::size_t>(oldest - clients_.begin()));
}

/// False where nothing more is to be expected.
bool StopServer::listen_to(Client& client) {
  std::array<char, 2048> bytes{};
  const ssize_t count = ::recv(client.socket, bytes.data(), bytes.size(), 0);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  client.said.append(bytes.data(), static_cast<std::size_t>(count));
  const StopWish wish = client.protocol->read(client.said);
  if (wish.kind == StopWish::Kind::kIncomplete) return true;
  if (wish.kind == StopWish::Kind::kOther) {
    (void)::send(client.socket, wish.answer.data(), wish.answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return false;
  }
  client.call = call_stop(memory_, options_.writer);
  log_.warning("emergency stop, by " + std::string(client.protocol->way()));
  return true;
}

/// Whether the client was answered.
bool StopServer::answer(Client& client) {
  const auto latched = receipt_of(client.call, memory_);
  if (!latched && !is_over(client.call)) return false;
  const std::string text = client.protocol->confirm(client.said, latched);
  (void)::send(client.socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return true;
}

void StopServer::drop(std::size_t at) {
  ::close(clients_[at].socket);
  clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace kinloop::run

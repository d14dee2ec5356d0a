// Bounded in clients, bytes and time; a stop takes effect the moment it is read, whoever else is connected.
#include "services/run/stop_server.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "services/base/error_text.hpp"
#include "services/net/stop_socket.hpp"

namespace kinloop::run {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMaxStopClients = 16;
constexpr std::chrono::seconds kStopClientTime{5};  // without a word, or without a plant that latches
constexpr int kIdle_ms = 50;
constexpr int kPending_ms = 1;

/// Of this user or the system's own; the folder lets nobody else in anyway.
bool may_stop(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == ::geteuid() || peer.uid == 0);
}

}  // namespace

Result<std::unique_ptr<StopServer>> StopServer::start(const std::filesystem::path& path, rt::PlantMemory& memory,
                                                      log::Logger log) {
  const int listener = net::listen_unix(path);
  if (listener < 0) return Error{path.string(), "no socket can be made there: " + host::error_text()};
  return std::unique_ptr<StopServer>(new StopServer(listener, memory, log));
}

StopServer::StopServer(int listener, rt::PlantMemory& memory, log::Logger log)
    : listener_(listener), memory_(memory), log_(log), thread_([this] { serve(); }) {}

StopServer::~StopServer() {
  ends_.store(true, std::memory_order_relaxed);
  thread_.join();
  for (const Client& client : clients_) ::close(client.socket);
  ::close(listener_);
}

void StopServer::serve() {
  ::pthread_setname_np(::pthread_self(), "stop");  // for ps and top
  while (!ends_.load(std::memory_order_relaxed)) {
    std::vector<pollfd> waits{{listener_, POLLIN, 0}};
    bool is_pending = false;
    for (const Client& client : clients_) {
      waits.push_back({client.socket, static_cast<short>(client.count == 0 ? POLLIN : 0), 0});
      is_pending = is_pending || client.count != 0;
    }
    ::poll(waits.data(), waits.size(), is_pending ? kPending_ms : kIdle_ms);
    for (std::size_t i = clients_.size(); i-- > 0;) {
      Client& client = clients_[i];
      const bool is_over = Steady::now() - client.since > kStopClientTime;
      const bool goes_on = client.count == 0 ? listen_to(client) && !is_over : !answer(client);
      if (!goes_on) drop(i);
    }
    accept_all();
  }
}

void StopServer::accept_all() {
  for (int socket = 0; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
    if (!may_stop(socket)) {
      ::close(socket);
      continue;
    }
    Client client{socket, {}, 0, 0, Steady::now()};
    if (!listen_to(client)) {
      ::close(socket);
      continue;
    }
    if (clients_.size() == kMaxStopClients) {
      if (clients_.front().count == 0) listen_to(clients_.front());  // a stop is in force, even if nobody is told
      drop(0);
    }
    clients_.push_back(client);
  }
}

/// False where nothing more is to be expected.
bool StopServer::listen_to(Client& client) {
  std::array<char, 16> bytes{};
  const ssize_t count = ::recv(client.socket, bytes.data(), bytes.size(), 0);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  client.said.append(bytes.data(), static_cast<std::size_t>(count));
  if (!client.said.starts_with(net::kStopWord)) return client.said.size() < net::kStopWord.size();
  client.count = rt::ask_stop(memory_.stops, rt::StopWriter::kSupervisor, memory_.heartbeat.iterations);
  client.asked_tick = memory_.heartbeat.iterations.load(std::memory_order_relaxed);
  client.since = Steady::now();
  log_.warning("emergency stop, by the stop socket");
  return true;
}

/// Whether the client was answered.
bool StopServer::answer(Client& client) {
  const rt::StopReceipt& receipt = memory_.stop_receipts[static_cast<std::size_t>(rt::StopWriter::kSupervisor)];
  std::string text;
  if (receipt.count.load(std::memory_order_acquire) >= client.count) {  // then step and tick are its, or later ones
    text = net::text_of({{},
                         receipt.step.load(std::memory_order_relaxed),
                         receipt.tick.load(std::memory_order_relaxed),
                         client.asked_tick});
  } else if (Steady::now() - client.since > kStopClientTime) {
    text = "not latched\n";
  }
  if (text.empty()) return false;
  (void)::send(client.socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return true;
}

void StopServer::drop(std::size_t at) {
  ::close(clients_[at].socket);
  clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace kinloop::run

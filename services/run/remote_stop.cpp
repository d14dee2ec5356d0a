// One ROUTER for all addresses.
#include "services/run/remote_stop.hpp"

#include <pthread.h>

#include <chrono>

#include "rt/timing/clock.hpp"
#include "services/base/diagnostics.hpp"
#include "services/net/bound_socket.hpp"
#include "services/net/listen_address.hpp"
#include "services/net/stop_socket.hpp"
#include "services/security/key_file.hpp"

namespace kinloop::run {
namespace {

using Errors = std::vector<Error>;

constexpr int kMaxSockets = 8;
constexpr int kMaxTakenAtOnce = 64;
constexpr std::size_t kMaxPending = 64;
// The bytes are those of a handshake: a stop itself is short.
constexpr net::SocketBounds kStopBounds{64, 4096, std::chrono::milliseconds(5000)};
constexpr std::chrono::milliseconds kIdleLook{50}, kPendingLook{1};

std::vector<net::BindAddress> stop_addresses(const io::ListenOptions& listen, net::StopPort port) {
  const net::Keys keys = listen.keys.empty() ? net::Keys::kNone : net::Keys::kGiven;
  std::vector<net::BindAddress> all;
  for (const net::ListenAddress& address : listen.addresses) {
    if (address.is_ipc() || address.is_inproc()) continue;
    const bool guarded = net::protection_of(address, keys, listen.consent) == net::Protection::kCurve;
    all.push_back({net::stop_endpoint_of(address, port), guarded ? net::Access::kCurve : net::Access::kOpen});
  }
  return all;
}

}  // namespace

RemoteStop::RemoteStop(zmq::context_t context, rt::PlantMemory& memory, log::Logger log)
    : context_(std::move(context)), memory_(memory), log_(log) {}

Result<std::unique_ptr<RemoteStop>, Errors> RemoteStop::start(const io::ListenOptions& listen, rt::PlantMemory& memory,
                                                              log::Logger log) {
  auto context = net::make_context(kMaxSockets);
  if (!context) return Errors{context.error()};
  std::unique_ptr<RemoteStop> stop(new RemoteStop(std::move(context).value(), memory, log));
  auto endpoints = stop->open(listen);
  if (!endpoints) return endpoints.error();
  stop->endpoints_ = std::move(endpoints).value();
  stop->thread_ = std::thread([self = stop.get()] { self->serve(); });
  return stop;
}

Result<std::vector<v1::Endpoint>, Errors> RemoteStop::open(const io::ListenOptions& listen) {
  std::optional<security::KeyPair> server;
  if (!listen.keys.empty()) {
    auto pair = security::read_key_pair(listen.server_key);
    if (!pair) return pair.error();
    server.emplace(std::move(pair).value());
    auto folder = security::KeyFolder::open(listen.keys);
    if (!folder) return folder.error();
    auto zap = security::ZapHandler::start(context_, std::move(folder).value(),
                                           [log = log_](const std::string& line) { log.warning(line); });
    if (!zap) return Errors{zap.error()};
    zap_ = std::move(zap).value();
  }
  const security::SecretKey* key = server ? &server->secret_key : nullptr;
  auto addresses = stop_addresses(listen, net::StopPort::kUsual);
  auto bound = net::bind_socket(context_, zmq::socket_type::router, kStopBounds, addresses, key);
  if (!bound) {
    log_.warning("the stop socket takes another port: " + to_line(bound.error()));
    addresses = stop_addresses(listen, net::StopPort::kAny);
    bound = net::bind_socket(context_, zmq::socket_type::router, kStopBounds, addresses, key);
  }
  if (!bound) return Errors{bound.error()};
  socket_ = std::move(bound->socket);
  std::vector<v1::Endpoint> endpoints;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    v1::Endpoint endpoint;
    endpoint.set_socket(net::kStopSocket);
    endpoint.set_address(bound->endpoints[i]);
    if (addresses[i].access == net::Access::kCurve) endpoint.set_server_key(server->public_key);
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

RemoteStop::~RemoteStop() {
  ends_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

void RemoteStop::serve() {
  ::pthread_setname_np(::pthread_self(), "stop-tcp");  // for ps and top
  while (!ends_.load(std::memory_order_relaxed)) {
    beat_.show(rt::MonotonicClock().now_ns());
    try {
      zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
      zmq::poll(&item, 1, pending_.empty() ? kIdleLook : kPendingLook);
      if (item.revents != 0) take_all();
      answer_all();
    } catch (const zmq::error_t&) {
      continue;  // of one message, or a signal: the next look goes on
    }
  }
}

/// A message is the client's name and one part; a stop is in force once it is read, even where nobody can be told.
void RemoteStop::take_all() {
  for (int i = 0; i < kMaxTakenAtOnce; ++i) {
    zmq::message_t client;
    if (!socket_.recv(client, zmq::recv_flags::dontwait)) return;
    zmq::message_t word;
    bool has_more = client.more();
    int parts = 0;
    for (; has_more; ++parts) {
      if (!socket_.recv(word, zmq::recv_flags::dontwait)) return;
      has_more = word.more();
    }
    if (parts != 1 || word.to_string_view() != client::kStopWord) continue;
    if (pending_.size() == kMaxPending) pending_.erase(pending_.begin());
    pending_.push_back({client.to_string(), call_stop(memory_, rt::StopWriter::kSupervisor)});
    log_.warning("emergency stop, by the stop socket over TCP");
  }
}

void RemoteStop::answer_all() {
  std::erase_if(pending_, [this](const Pending& one) {
    const auto latched = receipt_of(one.call, memory_);
    if (!latched && !is_over(one.call)) return false;
    const std::string text = latched ? client::stop_line(*latched) : std::string(client::kNotLatched);
    // What finds no room is asked for again.
    if (socket_.send(zmq::buffer(one.client), zmq::send_flags::sndmore | zmq::send_flags::dontwait)) {
      (void)socket_.send(zmq::buffer(text), zmq::send_flags::dontwait);
    }
    return true;
  });
}

}  // namespace kinloop::run

// One ROUTER for all addresses.
#include "services/run/remote_stop.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "rt/timing/clock.hpp"
#include "services/base/diagnostics.hpp"
#include "services/net/listen_address.hpp"
#include "services/net/stop_socket.hpp"
#include "services/security/key_file.hpp"

namespace kinloop::run {
namespace {

using Errors = std::vector<Error>;

constexpr int kMaxSockets = 8;
constexpr int kFew = 64;  // messages in a round
constexpr int kMaxTakenAtOnce = 100'000;
constexpr std::size_t kMaxPending = 64;
// The bytes are those of a handshake: a stop itself is short.
constexpr net::SocketBounds kStopBounds{64, 4096, std::chrono::milliseconds(5000), true};
constexpr std::chrono::milliseconds kIdleLook{50}, kPendingLook{1};
constexpr std::chrono::microseconds kManyPause{500};  // this thread may go before others
constexpr std::chrono::seconds kBetweenBinds{1};

bool is_tcp(const net::ListenAddress& address) { return !address.is_ipc() && !address.is_inproc(); }

std::vector<net::BindAddress> stop_addresses(const io::ListenOptions& listen, net::StopPort port) {
  const net::Keys keys = listen.keys.empty() ? net::Keys::kNone : net::Keys::kGiven;
  std::vector<net::BindAddress> all;
  for (const net::ListenAddress& address : listen.addresses) {
    if (!is_tcp(address)) continue;
    const bool guarded = net::protection_of(address, keys, listen.consent) == net::Protection::kCurve;
    all.push_back({net::stop_endpoint_of(address, port), guarded ? net::Access::kCurve : net::Access::kOpen});
  }
  return all;
}

/// Threads of ZeroMQ get what their maker has. They come before all ordinary ones, and not in real time: bytes and
/// handshakes of strangers are theirs, and a flood of those must not keep supervisor and io from showing life.
void go_before_ordinary_threads() {
  constexpr int kBeforeAll = -20;
  ::setpriority(PRIO_PROCESS, 0, kBeforeAll);  // of this thread alone; refused, it is as ordinary as they are
}

}  // namespace

bool RemoteStop::is_wanted(const io::ListenOptions& listen) {
  return std::any_of(listen.addresses.begin(), listen.addresses.end(), is_tcp);
}

RemoteStop::RemoteStop(zmq::context_t context, RemoteStopOptions options, rt::PlantMemory& memory, rt::Beat& beat,
                       log::Logger log)
    : context_(std::move(context)), options_(std::move(options)), memory_(memory), beat_(beat), log_(log) {}

Result<std::unique_ptr<RemoteStop>, Errors> RemoteStop::start(const io::ListenOptions& listen,
                                                              RemoteStopOptions options, rt::PlantMemory& memory,
                                                              rt::Beat& beat, log::Logger log) {
  auto context = net::make_context(kMaxSockets);
  if (!context) return Errors{context.error()};
  std::unique_ptr<RemoteStop> stop(new RemoteStop(std::move(context).value(), std::move(options), memory, beat, log));
  Errors errors;
  std::thread opener([&] {
    go_before_ordinary_threads();
    if (stop->options_.when_set_up) stop->options_.when_set_up();
    errors = stop->open(listen);
  });
  opener.join();
  if (!errors.empty()) return errors;
  stop->thread_ = std::thread([self = stop.get()] { self->serve(); });
  stop->is_set_up_.wait();
  return stop;
}

/// At the ports of one before this, at the usual ones, at any.
Result<net::BoundSocket> RemoteStop::bind(const io::ListenOptions& listen, std::vector<net::BindAddress>& addresses) {
  const auto bind_at = [&](net::OnTaken on_taken) {
    return net::bind_socket(context_, zmq::socket_type::router, kStopBounds, addresses,
                            server_key_ ? &*server_key_ : nullptr, on_taken);
  };
  const bool is_io = options_.writer == rt::StopWriter::kIo;
  addresses = stop_addresses(listen, is_io ? net::StopPort::kOfIo : net::StopPort::kOfSupervisor);
  if (options_.earlier.size() == addresses.size()) {
    for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i].endpoint = options_.earlier[i].address();
    return bind_at(net::OnTaken::kGoOn);
  }
  auto bound = bind_at(net::OnTaken::kFail);
  if (bound) return bound;
  log_.warning("the stop socket takes another port: " + to_line(bound.error()));
  addresses = stop_addresses(listen, net::StopPort::kAny);
  return bind_at(net::OnTaken::kFail);
}

Errors RemoteStop::open(const io::ListenOptions& listen) {
  std::string public_key;
  if (!listen.keys.empty()) {
    auto pair = security::read_key_pair(listen.server_key);
    if (!pair) return pair.error();
    public_key = pair->public_key;
    server_key_ = std::move(pair->secret_key);
    auto folder = security::KeyFolder::open(listen.keys);
    if (!folder) return folder.error();
    auto zap = security::ZapHandler::start(context_, std::move(folder).value(),
                                           [log = log_](const std::string& line) { log.warning(line); });
    if (!zap) return {zap.error()};
    zap_ = std::move(zap).value();
  }
  std::vector<net::BindAddress> addresses;
  auto bound = bind(listen, addresses);
  if (!bound) return {bound.error()};
  socket_ = std::move(bound->socket);
  down_ = std::move(bound->down);
  const bool is_io = options_.writer == rt::StopWriter::kIo;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    v1::Endpoint endpoint;
    endpoint.set_socket(is_io ? net::kIoStopSocket : net::kStopSocket);
    endpoint.set_address(bound->endpoints[i]);
    if (addresses[i].access == net::Access::kCurve) endpoint.set_server_key(public_key);
    endpoints_.push_back(std::move(endpoint));
  }
  return {};
}

RemoteStop::~RemoteStop() {
  ends_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

std::vector<std::string> RemoteStop::down() const {
  const std::lock_guard lock(down_mutex_);
  std::vector<std::string> all;
  for (const net::BindAddress& address : down_) all.push_back(address.endpoint);
  return all;
}

void RemoteStop::bind_what_is_down() {
  if (down_.empty() || std::chrono::steady_clock::now() < next_bind_) return;  // written by this thread alone
  next_bind_ = std::chrono::steady_clock::now() + kBetweenBinds;
  const std::lock_guard lock(down_mutex_);
  std::erase_if(down_, [this](const net::BindAddress& address) {
    return net::bind_again(address, server_key_ ? &*server_key_ : nullptr, socket_);
  });
}

void RemoteStop::serve() {
  ::pthread_setname_np(::pthread_self(), "stop-tcp");  // for ps and top
  go_before_ordinary_threads();
  const rt::ThreadSetup setup(options_.wishes);
  if (options_.when_set_up) options_.when_set_up();
  is_set_up_.count_down();
  while (!ends_.load(std::memory_order_relaxed)) {
    beat_.show(rt::MonotonicClock().now_ns());
    try {
      bind_what_is_down();
      zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
      zmq::poll(&item, 1, pending_.empty() ? kIdleLook : kPendingLook);
      const Crowd crowd = item.revents != 0 ? take_all() : Crowd::kFew;
      answer_all();
      if (crowd == Crowd::kMany) std::this_thread::sleep_for(kManyPause);
    } catch (const zmq::error_t&) {
      std::this_thread::sleep_for(kManyPause);  // of one message, or a signal: the next look goes on
    }
  }
  beat_.end();
}

/// All there is, faster than it comes: nothing else bounds what waits. A message is the client's name and one part; a
/// stop is in force once it is read, even where nobody can be told.
RemoteStop::Crowd RemoteStop::take_all() {
  zmq::message_t client;
  zmq::message_t word;
  int messages = 0;
  int stops = 0;
  for (; messages < kMaxTakenAtOnce && socket_.recv(client, zmq::recv_flags::dontwait); ++messages) {
    int parts = 0;
    for (bool has_more = client.more(); has_more; ++parts) {
      if (!socket_.recv(word, zmq::recv_flags::dontwait)) break;
      has_more = word.more();
    }
    if (parts != 1 || word.to_string_view() != client::kStopWord) continue;
    if (pending_.size() == kMaxPending) pending_.pop_front();
    pending_.push_back({client.to_string(), call_stop(memory_, options_.writer)});
    ++stops;
  }
  if (stops > 0) log_.warning("emergency stop, by the stop socket over TCP");
  return messages > kFew ? Crowd::kMany : Crowd::kFew;
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

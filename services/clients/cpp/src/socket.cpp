// Options of sockets, and the loops around receiving.
#include "src/socket.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace kinloop::client {
namespace {

constexpr int kHeartbeat_ms = 1000;
constexpr int kHeartbeatTimeout_ms = 3000;
// A reply with a large state or a long capture; more is an attack or a mistake.
constexpr std::int64_t kMaxMessageBytes = 256LL << 20;

Error no_socket(const std::string& address) {
  return {ErrorKind::kSystem, "no socket to " + address + ": " + zmq_strerror(zmq_errno())};
}

bool set(void* socket, int option, int value) noexcept {
  return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}
bool set(void* socket, int option, const std::string& text) noexcept {
  return zmq_setsockopt(socket, option, text.c_str(), text.size() + 1) == 0;
}

bool set_keys(void* socket, const Keys& keys) {
  if (!keys.wants_curve()) return true;
  std::string public_key = keys.public_key;
  std::string secret_key = keys.secret_key;
  if (public_key.empty()) {
    std::array<char, 41> made_public{};
    std::array<char, 41> made_secret{};
    if (zmq_curve_keypair(made_public.data(), made_secret.data()) != 0) return false;
    public_key = made_public.data();
    secret_key = made_secret.data();
  }
  return set(socket, ZMQ_CURVE_SERVERKEY, keys.server_key) && set(socket, ZMQ_CURVE_PUBLICKEY, public_key) &&
         set(socket, ZMQ_CURVE_SECRETKEY, secret_key);
}

int patience_ms(Clock::time_point until) noexcept {
  constexpr long kLongest_ms = 3600L * 1000L;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  return static_cast<int>(std::clamp<long>(left.count(), 0, kLongest_ms));
}

}  // namespace

Result<Socket> Socket::open(const Context& context, const SocketSettings& settings, const Keys& keys,
                            const std::string& address) {
  Socket socket(zmq_socket(context.handle(), settings.type));
  void* handle = socket.handle_.get();
  if (handle == nullptr) return no_socket(address);
  // Without lingering: whoever needs to know that something arrived waits for the answer.
  bool good = set(handle, ZMQ_LINGER, 0) && set(handle, ZMQ_SNDHWM, settings.max_waiting) &&
              set(handle, ZMQ_RCVHWM, settings.max_waiting) &&
              set(handle, ZMQ_IMMEDIATE, settings.only_when_connected ? 1 : 0) &&
              set(handle, ZMQ_HEARTBEAT_IVL, kHeartbeat_ms) &&
              set(handle, ZMQ_HEARTBEAT_TIMEOUT, kHeartbeatTimeout_ms) && set(handle, ZMQ_IPV6, 1);
  good = good && zmq_setsockopt(handle, ZMQ_MAXMSGSIZE, &kMaxMessageBytes, sizeof kMaxMessageBytes) == 0;
  if (!good || !set_keys(handle, keys) || zmq_connect(handle, address.c_str()) != 0) return no_socket(address);
  return socket;
}

bool Socket::send(std::string_view bytes) noexcept {
  while (zmq_send(handle_.get(), bytes.data(), bytes.size(), ZMQ_DONTWAIT) < 0) {
    if (zmq_errno() != EINTR) return false;
  }
  return true;
}

bool Socket::receive_now(Inbox& inbox) noexcept {
  inbox.count_ = 0;
  zmq_msg_t surplus;
  zmq_msg_init(&surplus);
  bool has_more = true;
  while (has_more) {
    zmq_msg_t* part =
        inbox.count_ < Inbox::kMaxParts ? &inbox.parts_[static_cast<std::size_t>(inbox.count_)] : &surplus;
    if (zmq_msg_recv(part, handle_.get(), ZMQ_DONTWAIT) < 0) {
      if (zmq_errno() == EINTR) continue;
      break;  // only before the first part: messages arrive whole
    }
    ++inbox.count_;
    has_more = zmq_msg_more(part) != 0;
  }
  zmq_msg_close(&surplus);
  return inbox.count_ > 0;
}

bool Socket::wait(short events, Clock::time_point until) noexcept {
  zmq_pollitem_t item{handle_.get(), 0, events, 0};
  return zmq_poll(&item, 1, patience_ms(until)) > 0;
}

void Socket::wait_for_change(Clock::time_point until) noexcept {
  int descriptor = -1;
  std::size_t size = sizeof descriptor;
  if (zmq_getsockopt(handle_.get(), ZMQ_FD, &descriptor, &size) != 0) return;
  pollfd change{descriptor, POLLIN, 0};
  ::poll(&change, 1, patience_ms(until));
}

void Socket::subscribe(std::string_view topic) noexcept {
  zmq_setsockopt(handle_.get(), ZMQ_SUBSCRIBE, topic.data(), topic.size());
}
void Socket::unsubscribe(std::string_view topic) noexcept {
  zmq_setsockopt(handle_.get(), ZMQ_UNSUBSCRIBE, topic.data(), topic.size());
}

}  // namespace kinloop::client

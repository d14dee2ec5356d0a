// Start reading at take(): what makes a datagram a command.
#include "services/io/udp_adapter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace kinloop::io {
namespace {

using Outcome = AdapterLease::Outcome;

constexpr int kReceiveBuffer = 1 << 20;  // bytes, for bursts while the main thread is busy

struct Refusal {
  UdpCount what;
  std::string_view text;
};
constexpr std::array<Refusal, 9> kRefusals{{
    {UdpCount::kSize, "of another size"},
    {UdpCount::kMagic, "no command at all"},
    {UdpCount::kVersion, "of another version"},
    {UdpCount::kLayout, "of another layout (write the header again: kinloop udp-header)"},
    {UdpCount::kNotFinite, "with values that are no numbers"},
    {UdpCount::kReplayed, "whose sequence did not go up"},
    {UdpCount::kOtherSender, "from another sender than the one that commands"},
    {UdpCount::kNotFree, "for actuators that somebody else holds"},
    {UdpCount::kQueueFull, "too many before their step"},
}};

UdpCount count_of(UdpFlaw flaw) noexcept {
  switch (flaw) {
    case UdpFlaw::kMagic:
      return UdpCount::kMagic;
    case UdpFlaw::kVersion:
      return UdpCount::kVersion;
    case UdpFlaw::kLayout:
      return UdpCount::kLayout;
    case UdpFlaw::kNotFinite:
      return UdpCount::kNotFinite;
    case UdpFlaw::kSize:
    case UdpFlaw::kNone:
      break;
  }
  return UdpCount::kSize;
}

Error cannot(const std::string& where, const std::string& what) { return {where, what + ": " + std::strerror(errno)}; }

}  // namespace

Result<std::unique_ptr<UdpAdapter>> UdpAdapter::open(const std::string& name, const UdpAdapterSpec& spec,
                                                     const UdpLayout& layout, rt::Mode mode, CommandArbiter& commands) {
  std::unique_ptr<UdpAdapter> adapter(new UdpAdapter(name, spec, layout, mode, commands));
  if (const auto error = adapter->bind(spec)) return *error;
  return adapter;
}

UdpAdapter::UdpAdapter(const std::string& name, const UdpAdapterSpec& spec, const UdpLayout& layout, rt::Mode mode,
                       CommandArbiter& commands)
    : name_(name),
      mode_(mode),
      commands_(commands),
      layout_(layout.hash),
      sensors_(layout.sensor_indices()),
      every_(static_cast<std::uint64_t>(spec.every)),
      replies_(spec.replies()),
      lease_(commands, layout.actuator_indices(), "udp " + name, spec.lease_s) {}

UdpAdapter::~UdpAdapter() {
  lease_.release();
  if (socket_ >= 0) ::close(socket_);
}

std::optional<Error> UdpAdapter::bind(const UdpAdapterSpec& spec) {
  const auto listen = net::make_udp_address(spec.listen, spec.port);
  if (!listen) return Error{name_ + ".listen", spec.listen + " is no address"};
  socket_ = ::socket(listen->family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return cannot(name_, "there is no socket to be had");
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);  // as far as the host permits
  if (::bind(socket_, listen->data(), listen->size) != 0) {
    return cannot(name_ + ".port", "cannot listen at " + listen->text());
  }
  address_.size = sizeof address_.storage;
  if (::getsockname(socket_, address_.data(), &address_.size) != 0) return cannot(name_, "where it listens is unknown");
  if (replies_) return std::nullopt;
  const auto peer = net::make_udp_address(spec.peer, spec.peer_port);
  if (!peer) return Error{name_ + ".peer", spec.peer + " is no address"};
  destination_ = *peer;
  return std::nullopt;
}

void UdpAdapter::receive(std::int64_t now_ns) {
  for (int i = 0; i < kMaxAtOnce; ++i) {
    net::UdpAddress sender;
    sender.size = sizeof sender.storage;
    // MSG_TRUNC: the true size, even where it is larger than the buffer.
    const ssize_t size =
        ::recvfrom(socket_, incoming_.data(), incoming_.size(), MSG_DONTWAIT | MSG_TRUNC, sender.data(), &sender.size);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return;  // nothing there; whatever else it is, the next round will see
    const auto bytes = static_cast<std::size_t>(size);
    const bool is_whole = bytes <= incoming_.size();
    note(is_whole ? take(std::span<const std::byte>(incoming_).first(bytes), sender, now_ns) : UdpCount::kSize);
  }
}

UdpCount UdpAdapter::take(std::span<const std::byte> datagram, const net::UdpAddress& sender, std::int64_t now_ns) {
  const UdpFlaw flaw = decode(datagram, layout_, lease_.actuators().size(), command_);
  if (flaw != UdpFlaw::kNone) return count_of(flaw);
  const bool is_held = lease_.is_held(now_ns);
  if (is_held && !net::is_same(sender, sender_)) return UdpCount::kOtherSender;
  const bool starts_over = !is_held && command_.sequence == 1;
  if (command_.sequence <= last_sequence_ && !starts_over) return UdpCount::kReplayed;

  const auto values = std::span<const double>(command_.value).first(lease_.actuators().size());
  const Outcome outcome = lease_.give(command_.sequence, command_.rearm, values, now_ns);
  if (outcome == Outcome::kNotFree) return UdpCount::kNotFree;
  if (outcome == Outcome::kQueueFull) return UdpCount::kQueueFull;
  last_sequence_ = command_.sequence;
  if (!is_held) {
    sender_ = sender;
    const std::lock_guard guard(mutex_);
    if (replies_) destination_ = sender;
  }
  static const std::string kNobody;
  if (mode_ == rt::Mode::kLockstep) answers_.expect(commands_.releases(), command_.sequence, kNobody, false);
  return UdpCount::kTaken;
}

void UdpAdapter::send(const rt::SensorFrame& frame, std::int64_t /*now_ns*/) {
  const bool is_answer = answers_.take(frame.release) != nullptr;
  const bool is_due = frame.step % every_ == 0 || (frame.flags & rt::frame_flag::kFaulted) != 0;
  if (!is_answer && !is_due) return;
  net::UdpAddress destination;
  {
    const std::lock_guard guard(mutex_);
    destination = destination_;
  }
  if (destination.size == 0) return;
  const std::size_t size = encode(frame, layout_, ++sent_, sensors_, outgoing_);
  const ssize_t went =
      ::sendto(socket_, outgoing_.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL, destination.data(), destination.size);
  note(went == static_cast<ssize_t>(size) ? UdpCount::kSent : UdpCount::kSendFailed);
}

std::int64_t UdpAdapter::refused() const noexcept {
  std::int64_t sum = 0;
  for (const Refusal& refusal : kRefusals) sum += count(refusal.what);
  return sum;
}

std::string UdpAdapter::trouble() const {
  std::string text;
  const auto add = [&](UdpCount what, std::string_view how) {
    if (count(what) == 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count(what)) + " " + std::string(how);
  };
  for (const Refusal& refusal : kRefusals) add(refusal.what, refusal.text);
  if (!text.empty()) text = "commands refused: " + text;
  if (const std::int64_t failed = count(UdpCount::kSendFailed); failed > 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(failed) + " frames could not be sent";
  }
  return text.empty() ? text : name_ + " at udp " + address_.text() + ": " + text;
}

}  // namespace kinloop::io

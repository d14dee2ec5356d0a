// Start reading at take(): what makes a datagram a command.
#include "services/io/udp_adapter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
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
constexpr std::array<Refusal, 11> kRefusals{{
    {UdpCount::kSize, "of another size"},
    {UdpCount::kMagic, "no command at all"},
    {UdpCount::kVersion, "of another version"},
    {UdpCount::kLayout, "of another layout (write the header again: kinloop udp-header)"},
    {UdpCount::kNotFinite, "with values that are no numbers"},
    {UdpCount::kStranger, "from hosts that the rig does not name as senders"},
    {UdpCount::kReplayed, "whose sequence did not go up"},
    {UdpCount::kJumped, "whose sequence went up too far"},
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
  for (const std::string& host : spec.senders) {
    const auto sender = net::make_udp_address(host, 0);
    if (!sender) return Error{name_ + ".senders", host + " is no address"};
    senders_.push_back(*sender);
  }
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

bool UdpAdapter::may_command(const net::UdpAddress& sender) const noexcept {
  return senders_.empty() || std::any_of(senders_.begin(), senders_.end(),
                                         [&](const net::UdpAddress& one) { return net::is_same_host(one, sender); });
}

bool UdpAdapter::is_in_place(std::uint64_t sequence, bool is_held) const noexcept {
  if (last_sequence_ == 0) return sequence > 0;
  if (!is_held && sequence == 1) return true;
  return sequence > last_sequence_ && sequence - last_sequence_ <= kMaxJump;
}

/// The last of a run that goes up by one.
bool UdpAdapter::is_believed(std::uint64_t sequence, const net::UdpAddress& sender) noexcept {
  if (sequence == 0) return false;
  const bool goes_on = run_.length > 0 && sequence == run_.last + 1 && net::is_same(sender, run_.sender);
  run_ = {sender, sequence, goes_on ? run_.length + 1 : 1};
  return run_.length >= kMinRun;
}

UdpCount UdpAdapter::take(std::span<const std::byte> datagram, const net::UdpAddress& sender, std::int64_t now_ns) {
  if (!may_command(sender)) return UdpCount::kStranger;
  const UdpFlaw flaw = decode(datagram, layout_, lease_.actuators().size(), command_);
  if (flaw != UdpFlaw::kNone) return count_of(flaw);
  const bool is_held = lease_.is_held(now_ns);
  if (is_held && !net::is_same(sender, sender_)) return UdpCount::kOtherSender;
  if (!is_in_place(command_.sequence, is_held) && !is_believed(command_.sequence, sender)) {
    return command_.sequence > last_sequence_ ? UdpCount::kJumped : UdpCount::kReplayed;
  }

  const auto values = std::span<const double>(command_.value).first(lease_.actuators().size());
  const Outcome outcome = lease_.give(command_.sequence, command_.rearm, values, now_ns);
  if (outcome == Outcome::kNotFree) return UdpCount::kNotFree;
  if (outcome == Outcome::kQueueFull) return UdpCount::kQueueFull;
  last_sequence_ = command_.sequence;
  run_.length = 0;
  if (owed_.load(std::memory_order_relaxed) < kMaxOwed) owed_.fetch_add(1, std::memory_order_relaxed);
  if (!is_held) {
    sender_ = sender;
    const std::lock_guard guard(mutex_);
    if (replies_) destination_ = sender;
  }
  static const std::string kNobody;
  if (mode_ == rt::Mode::kLockstep) answers_.expect(commands_.releases(), command_.sequence, kNobody, false);
  return UdpCount::kTaken;
}

/// Who is named in the rig gets all; who is known by its datagrams gets no more of them than it sends.
bool UdpAdapter::pays_for_frame() noexcept {
  if (!replies_) return true;
  // This thread alone takes away.
  if (owed_.load(std::memory_order_relaxed) == 0) return false;
  owed_.fetch_sub(1, std::memory_order_relaxed);
  return true;
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
  if (destination.size == 0 || !pays_for_frame()) return;
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

// Owns UdpAdapter: a controller that sends commands and gets sensors as datagrams of a fixed layout (udp_frame.hpp).
//
// The first good command takes the lease of the actuators, silence ends it. While it lasts, it is its sender's alone.
// UDP repeats, loses and forges: what is not a step forward from the right place is dropped and counted. A step forward
// is bounded, and a few in a row from anywhere are believed: one forged datagram does not silence the true controller.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "services/io/adapter.hpp"
#include "services/io/adapter_lease.hpp"
#include "services/io/lockstep_answers.hpp"
#include "services/io/udp_frame.hpp"
#include "services/io/udp_layout.hpp"
#include "services/net/udp_address.hpp"

namespace kinloop::io {

/// What became of datagrams.
enum class UdpCount : std::size_t {
  kTaken,
  kSent,
  // Refused.
  kSize,
  kMagic,
  kVersion,
  kLayout,
  kNotFinite,
  kStranger,
  kReplayed,
  kJumped,
  kOtherSender,
  kNotFree,
  kQueueFull,
  // Not sent.
  kSendFailed,
};
inline constexpr std::size_t kUdpCounts = 14;

class UdpAdapter final : public Adapter {
 public:
  static constexpr int kMaxAtOnce = 256;
  /// By which a sequence may go up at once.
  static constexpr std::uint64_t kMaxJump = 1U << 16U;
  /// Datagrams of one sender, each one above the last, after which a sequence that was out of place is believed.
  static constexpr int kMinRun = 8;
  /// Frames that are owed to who commands, at most.
  static constexpr int kMaxOwed = 16;

  /// Bound, but silent. `name` is that of the rig's field, for messages.
  static Result<std::unique_ptr<UdpAdapter>> open(const std::string& name, const UdpAdapterSpec& spec,
                                                  const UdpLayout& layout, rt::Mode mode, CommandArbiter& commands);
  ~UdpAdapter() override;

  int descriptor() const noexcept override { return socket_; }
  void receive(std::int64_t now_ns) override;
  void send(const rt::SensorFrame& frame, std::int64_t now_ns) override;
  bool is_waiting() const noexcept override { return answers_.is_waiting(); }
  std::int64_t refused() const noexcept override;
  std::string trouble() const override;

  /// Where it listens.
  const net::UdpAddress& address() const noexcept { return address_; }
  std::int64_t count(UdpCount what) const noexcept {
    return counts_[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
  }

 private:
  UdpAdapter(const std::string& name, const UdpAdapterSpec& spec, const UdpLayout& layout, rt::Mode mode,
             CommandArbiter& commands);
  std::optional<Error> bind(const UdpAdapterSpec& spec);
  UdpCount take(std::span<const std::byte> datagram, const net::UdpAddress& sender, std::int64_t now_ns);
  bool may_command(const net::UdpAddress& sender) const noexcept;
  bool is_in_place(std::uint64_t sequence, bool is_held) const noexcept;
  bool is_believed(std::uint64_t sequence, const net::UdpAddress& sender) noexcept;
  bool pays_for_frame() noexcept;
  void note(UdpCount what) noexcept {  // each is written by one thread; readers want the number alone
    counts_[static_cast<std::size_t>(what)].fetch_add(1, std::memory_order_relaxed);
  }

  std::string name_;
  rt::Mode mode_;
  CommandArbiter& commands_;
  std::uint64_t layout_;
  std::vector<std::size_t> sensors_;
  std::uint64_t every_;
  bool replies_;
  int socket_ = -1;
  net::UdpAddress address_;

  // Of the thread that receives.
  AdapterLease lease_;
  std::vector<net::UdpAddress> senders_;  // none: all
  std::uint64_t last_sequence_ = 0;
  struct Run {  // of datagrams whose sequence is out of place
    net::UdpAddress sender;
    std::uint64_t last = 0;
    int length = 0;
  } run_;
  net::UdpAddress sender_;  // of the lease
  UdpCommand command_;
  std::array<std::byte, udp_command_size(kMaxActuators) + 1> incoming_{};
  // Of the thread that sends.
  std::uint64_t sent_ = 0;
  std::array<std::byte, udp_sensor_size(rt::kMaxSensors)> outgoing_{};
  LockstepAnswers answers_;  // both are one then
  // Of both.
  std::mutex mutex_;
  net::UdpAddress destination_;  // size 0: nobody yet
  std::atomic<int> owed_{0};     // frames, to who commands: one for each datagram
  std::array<std::atomic<std::int64_t>, kUdpCounts> counts_{};
};

}  // namespace kinloop::io

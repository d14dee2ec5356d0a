// Owns the addresses a plant listens at: how they are written, who can reach them, and what that asks for.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop::net {

inline constexpr std::string_view kIpc = "ipc://";

/// The sockets of a plant. In a folder they have these names, over TCP these ports: the first, the next, and so on.
enum class Channel { kControl, kActuators, kSensors, kEvents };
inline constexpr std::array kChannels{Channel::kControl, Channel::kActuators, Channel::kSensors, Channel::kEvents};
/// "control", "actuators", "sensors", "events".
std::string_view name_of(Channel channel) noexcept;

/// Who can open a connection: threads of this process, the owner of a folder, every user of this host, or everybody on
/// the network.
enum class Reach { kProcess, kOwner, kHost, kNetwork };

struct ListenAddress {
  Reach reach = Reach::kOwner;
  std::filesystem::path folder;  // of ipc sockets
  std::string name;              // of inproc sockets; without folder and name it is TCP
  std::string host;              // as ZeroMQ wants it: "127.0.0.1", "[::1]", "*", "eth0"
  std::uint16_t port = 0;        // of control; 0: any four that are free

  bool is_ipc() const noexcept { return !folder.empty(); }
  bool is_inproc() const noexcept { return !name.empty(); }
};

/// Reads "ipc:///folder" or "tcp://host:port". Whoever writes an address is in another process: inproc is refused.
Result<ListenAddress> parse_listen_address(std::string_view text);

/// As parse_listen_address() reads it.
std::string text_of(const ListenAddress& address);

/// The address of a folder; an error where a path of a socket in it would be too long for the kernel.
Result<ListenAddress> listen_in(const std::filesystem::path& folder);

/// The address for a program that has the plant and its clients in one process and one context of ZeroMQ: lower-case
/// letters, digits, '-', '_' and '.'.
Result<ListenAddress> listen_within(std::string_view name);

/// What ZeroMQ binds to. The port is "*" where any will do.
std::string endpoint_of(const ListenAddress& address, Channel channel);

/// Where the stop sockets of a TCP address are bound: that of the supervisor at the port after those of the channels,
/// that of io at the next; or at any other.
enum class StopPort { kOfSupervisor, kOfIo, kAny };
std::string stop_endpoint_of(const ListenAddress& address, StopPort port);

enum class Keys { kNone, kGiven };
enum class Consent { kNone, kInsecure };  // the option --insecure

/// How an address is protected. kRefused: not at all, and nobody consented to that.
enum class Protection { kProcessOnly, kFileRights, kHostOnly, kCurve, kOpenToAll, kRefused };

/// The one rule: what the network can reach needs keys, or the express consent to do without. Where there are keys,
/// TCP asks for them, on loopback too; ipc and inproc never do.
Protection protection_of(const ListenAddress& address, Keys keys, Consent consent) noexcept;

/// For people: what the protection means there. Of kOpenToAll a warning, of kRefused the error and what to do.
std::string describe(const ListenAddress& address, Protection protection);

}  // namespace kinloop::net

// Takes an address apart; what is not certainly this host alone counts as the network.
#include "services/net/listen_address.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/nearest_name.hpp"

namespace kinloop::net {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kInproc = "inproc://";
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestSocketPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr unsigned kLastPort = 65535;
constexpr unsigned kLastFirstPort = kLastPort - static_cast<unsigned>(kChannels.size()) + 1;
constexpr std::array<std::string_view, kChannels.size()> kNames{"control", "actuators", "sensors", "events"};

std::string shown(std::string_view text) { return "--listen " + std::string(text); }

struct Host {
  std::string name;
  Reach reach = Reach::kNetwork;
};

bool is_interface_name(std::string_view text) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  // Digits and dots alone are a misspelt address.
  return !text.empty() && text.size() < IF_NAMESIZE && std::all_of(text.begin(), text.end(), is_good) &&
         text.find_first_not_of("0123456789.") != std::string_view::npos;
}

/// Within the brackets; an interface may follow after '%'.
std::optional<Host> ipv6_host(std::string_view inside) {
  const std::size_t percent = inside.find('%');
  const bool has_interface = percent != std::string_view::npos;
  if (has_interface && !is_interface_name(inside.substr(percent + 1))) return std::nullopt;
  const std::string address(inside.substr(0, percent));
  in6_addr bytes{};
  if (::inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return std::nullopt;
  const bool is_loopback = IN6_IS_ADDR_LOOPBACK(&bytes) && !has_interface;
  return Host{"[" + std::string(inside) + "]", is_loopback ? Reach::kHost : Reach::kNetwork};
}

std::optional<Host> host_of(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) return ipv6_host(text.substr(1, text.size() - 2));
  if (text == "localhost") return Host{"127.0.0.1", Reach::kHost};  // ZeroMQ binds to no names of hosts
  if (text == "*") return Host{"*", Reach::kNetwork};
  in_addr bytes{};
  const std::string name(text);
  if (::inet_pton(AF_INET, name.c_str(), &bytes) == 1) {
    const bool is_loopback = (ntohl(bytes.s_addr) >> 24U) == 127U;
    return Host{name, is_loopback ? Reach::kHost : Reach::kNetwork};
  }
  if (is_interface_name(text)) return Host{name, Reach::kNetwork};
  return std::nullopt;
}

Result<ListenAddress> parse_tcp(std::string_view text) {
  const std::string_view rest = text.substr(kTcp.size());
  const std::size_t colon = rest.rfind(':');
  // Within brackets a colon belongs to the address.
  if (colon == std::string_view::npos || rest.find(']', colon) != std::string_view::npos) {
    return Error{shown(text), "the port is missing: tcp://127.0.0.1:5600"};
  }
  const std::optional<Host> host = host_of(rest.substr(0, colon));
  if (!host) {
    return Error{shown(text), in_quotes(rest.substr(0, colon)) +
                                  " is no address of this host: 127.0.0.1, [::1], localhost, *, or the name or address "
                                  "of a network interface is wanted"};
  }
  const std::string_view digits = rest.substr(colon + 1);
  unsigned port = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (problem != std::errc() || end != digits.data() + digits.size() || port > kLastFirstPort) {
    return Error{shown(text), "the port is 0 (any that are free) to " + std::to_string(kLastFirstPort) +
                                  ": the three after it are taken too"};
  }
  ListenAddress address;
  address.reach = host->reach;
  address.host = host->name;
  address.port = static_cast<std::uint16_t>(port);
  return address;
}

}  // namespace

std::string_view name_of(Channel channel) noexcept { return kNames[static_cast<std::size_t>(channel)]; }

Result<ListenAddress> listen_in(const std::filesystem::path& folder) {
  const std::string text = std::string(kIpc) + folder.string();
  if (!folder.is_absolute())
    return Error{shown(text), "wants an absolute path, with three slashes: ipc:///some/folder"};
  ListenAddress address;
  address.folder = folder.lexically_normal();
  if (!address.folder.has_filename() && address.folder.has_relative_path()) {
    address.folder = address.folder.parent_path();  // "/a/" is "/a"
  }
  for (const std::string_view name : kNames) {
    const std::size_t length = (address.folder / name).string().size();
    if (length <= kLongestSocketPath) continue;
    return Error{shown(text), "the path of the socket '" + std::string(name) + "' in it would have " +
                                  std::to_string(length) + " characters, the kernel takes " +
                                  std::to_string(kLongestSocketPath) + ": choose a shorter folder"};
  }
  return address;
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  // C functions would read the address up to there only, and judge what ZeroMQ does not bind to.
  if (text.find('\0') != std::string_view::npos) return Error{"--listen", "an address holds no zero byte"};
  if (text.starts_with(kIpc)) return listen_in(std::filesystem::path(text.substr(kIpc.size())));
  if (text.starts_with(kTcp)) return parse_tcp(text);
  if (text.starts_with(kInproc)) {
    return Error{shown(text),
                 "reaches threads of the plant's own process alone, and no client is there: ipc is for others"};
  }
  return Error{shown(text), "wants ipc:///folder or tcp://host:port"};
}

Result<ListenAddress> listen_within(std::string_view name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), is_good)) {
    return Error{std::string(kInproc) + std::string(name), "a name has 1 to 64 of a-z, 0-9, '-', '_' and '.'"};
  }
  ListenAddress address;
  address.reach = Reach::kProcess;
  address.name = name;
  return address;
}

std::string endpoint_of(const ListenAddress& address, Channel channel) {
  if (address.is_inproc()) return text_of(address) + "/" + std::string(name_of(channel));
  if (address.is_ipc()) return std::string(kIpc) + (address.folder / name_of(channel)).string();
  const unsigned port = address.port + static_cast<unsigned>(channel);
  return std::string(kTcp) + address.host + ":" + (address.port == 0 ? "*" : std::to_string(port));
}

std::string stop_endpoint_of(const ListenAddress& address, StopPort port) {
  const unsigned number = address.port + static_cast<unsigned>(kChannels.size()) + (port == StopPort::kOfIo ? 1 : 0);
  const bool is_any = port == StopPort::kAny || address.port == 0 || number > kLastPort;
  return std::string(kTcp) + address.host + ":" + (is_any ? "*" : std::to_string(number));
}

Protection protection_of(const ListenAddress& address, Keys keys, Consent consent) noexcept {
  if (address.is_inproc()) return Protection::kProcessOnly;
  if (address.is_ipc()) return Protection::kFileRights;
  if (keys == Keys::kGiven) return Protection::kCurve;
  if (address.reach != Reach::kNetwork) return Protection::kHostOnly;
  return consent == Consent::kInsecure ? Protection::kOpenToAll : Protection::kRefused;
}

std::string describe(const ListenAddress& address, Protection protection) {
  std::string where = text_of(address);
  switch (protection) {
    case Protection::kProcessOnly:
      return where + ": for threads of this process";
    case Protection::kFileRights:
      return where + ": for this user alone";
    case Protection::kHostOnly:
      return where + ": every user of this host may command the plant";
    case Protection::kCurve:
      return where + ": encrypted, for the owners of allowed keys";
    case Protection::kOpenToAll:
      return where + ": INSECURE: everybody who reaches this address may command the plant, unasked and in the clear";
    case Protection::kRefused:
      return where +
             ": can be reached from the network, so clients need keys: kinloop keygen makes them, --keys and "
             "--server-key name them here. In a network that is closed off, --insecure does without";
  }
  return where;
}

std::string text_of(const ListenAddress& address) {
  if (address.is_inproc()) return std::string(kInproc) + address.name;
  if (address.is_ipc()) return std::string(kIpc) + address.folder.string();
  return std::string(kTcp) + address.host + ":" + std::to_string(address.port);
}

}  // namespace kinloop::net

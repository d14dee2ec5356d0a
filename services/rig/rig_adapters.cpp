// Reads adapters: which wire, who is at its other end, which signals it carries. No file of theirs is opened here.
#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "core/base/nearest_name.hpp"
#include "services/net/udp_address.hpp"
#include "services/rig/rig_times.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {
namespace {

enum class Kind { kUdp, kPlayback };

constexpr std::size_t kMaxAdapters = 16;
constexpr long long kHighestPort = 65535;
constexpr double kShortestLease_s = 0.01;
constexpr double kLongestLease_s = 60.0;
constexpr double kLongestStart_s = 1e6;

ChoiceTable<Kind> kind_words() {
  static constexpr std::array<Choice<Kind>, 2> kWords{{{"udp", Kind::kUdp}, {"playback", Kind::kPlayback}}};
  return kWords;
}

template <class Spec>
std::vector<std::string> names_of(const std::vector<Spec>& specs) {
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const Spec& spec : specs) names.push_back(spec.name);
  return names;
}

/// Which of them, in which order; all where the key is absent.
std::vector<std::string> read_names(Fields& item, std::string_view key, const std::vector<std::string>& all) {
  const std::optional<std::vector<std::string>> chosen = item.optional_texts(key);
  if (!chosen) return all;
  if (std::find(all.begin(), all.end(), "") != all.end()) return *chosen;  // read so badly that nobody knows
  const std::vector<std::string_view> known(all.begin(), all.end());
  const YamlNode& list = *item.node(key);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < chosen->size(); ++i) {
    const std::string& name = (*chosen)[i];
    const std::string path = item.path_of(key) + "[" + std::to_string(i) + "]";
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      item.values().report(list.items[i], path,
                           "the rig has none of the name " + in_quotes(name) + did_you_mean(name, known));
    } else if (!seen.insert(name).second) {
      item.values().report(list.items[i], path, in_quotes(name) + " is named twice");
    }
  }
  return *chosen;
}

std::optional<net::UdpAddress> read_address(Fields& item, std::string_view key, const std::string& host, int port) {
  std::optional<net::UdpAddress> address = net::make_udp_address(host, port);
  if (!address) item.error(key, in_quotes(host) + " is no address: give numbers, 127.0.0.1 or ::1, not a name");
  return address;
}

/// Whether what it is bound to, and where it sends to, fit each other and what the rig consents to.
void check_addresses(Fields& item, const UdpAdapterSpec& spec) {
  const auto listen = read_address(item, "listen", spec.listen, spec.port);
  if (!listen) return;
  if (!listen->is_loopback() && !spec.insecure) {
    item.error("listen",
               "can be reached from other hosts, and UDP knows no keys: whoever sends a frame moves the machine; "
               "'insecure: true' consents to that");
  }
  if (spec.peer.empty()) return;
  const auto peer = read_address(item, "peer", spec.peer, spec.peer_port);
  if (!peer) return;
  if (peer->family() != listen->family()) {
    item.error("peer", "is of another kind of address than 'listen', " + in_quotes(spec.listen));
  } else if (listen->is_loopback() && !peer->is_loopback()) {
    item.error("peer", "is not on this host, but what listens on loopback reaches no other: give 'listen'");
  }
}

/// Where frames go: to a place that is named, or to who sends.
void read_peer(Fields& item, UdpAdapterSpec& spec) {
  const bool replies = item.has("reply") && item.boolean_or("reply", true);
  spec.peer = item.optional_text("peer").value_or("");
  spec.peer_port = static_cast<int>(item.integer_or("peer_port", 1, kHighestPort, 0));
  const bool has_peer = item.has("peer");
  if (has_peer && replies) {
    item.error("reply", "frames go to 'peer': give one or the other");
  } else if (!has_peer && !replies) {
    item.error("", "missing key 'peer' or 'reply': where frames of sensors go; 'reply: true' is to who commands");
  } else if (has_peer && !item.has("peer_port")) {
    item.error("", "missing key 'peer_port': the port of 'peer'");
  } else if (!has_peer && item.has("peer_port")) {
    item.error("peer_port", "only a 'peer' has it");
  }
}

/// Frames that are not made can not be sent.
void read_frame_rate(Fields& item, const RigScope& scope, const rt::FrameSettings& frames, UdpAdapterSpec& spec) {
  spec.every = frames.every;
  const std::size_t errors_before = item.values().diagnostics().count();
  const int every = read_every(item, scope);
  if (!item.has("rate") || item.values().diagnostics().count() != errors_before) return;
  if (every % frames.every == 0) {
    spec.every = every;
  } else {
    item.error("rate", "frames leave the rig every " + std::to_string(frames.every) + " steps ('frames'), and every " +
                           std::to_string(every) + " is no multiple of that");
  }
}

UdpAdapterSpec read_udp(Fields& item, const RigScope& scope, const RigSpec& rig) {
  UdpAdapterSpec spec;
  spec.listen = item.optional_text("listen").value_or(spec.listen);
  spec.port = static_cast<int>(item.integer_or("port", 1, kHighestPort, 0));
  if (!item.has("port")) item.error("", "missing key 'port': where it listens");
  spec.insecure = item.boolean_or("insecure", spec.insecure);
  read_peer(item, spec);
  check_addresses(item, spec);
  spec.actuators = read_names(item, "actuators", names_of(rig.plant.actuators));
  if (spec.actuators.empty()) {
    item.error(item.has("actuators") ? "actuators" : "", "there is no actuator to command");
  }
  spec.sensors = read_names(item, "sensors", names_of(rig.plant.sensors));
  read_frame_rate(item, scope, rig.frames, spec);
  spec.lease_s = item.number_or("lease", Dimension::time(), spec.lease_s, Range::kPositive);
  if (spec.lease_s < kShortestLease_s || spec.lease_s > kLongestLease_s) {
    item.error("lease", "must lie between 10 ms and 60 s, got " + shown(spec.lease_s) + " s");
  }
  return spec;
}

PlaybackAdapterSpec read_playback(Fields& item, const std::filesystem::path& folder, const RigSpec& rig) {
  PlaybackAdapterSpec spec;
  const std::string file = item.text("file");
  if (file.find('\0') != std::string::npos) item.error("file", "is no name of a file");
  std::error_code failure;
  if (!file.empty()) spec.file = std::filesystem::absolute(folder / file, failure).lexically_normal();
  spec.interpolation = item.choice_or("interpolation", interpolation_words(), spec.interpolation);
  spec.repeat = item.boolean_or("repeat", spec.repeat);
  spec.start_s = item.number_or("start", Dimension::time(), spec.start_s, Range::kNonNegative);
  if (spec.start_s > kLongestStart_s) item.error("start", "is at most 1e6 s, got " + shown(spec.start_s) + " s");
  if (rig.mode == rt::Mode::kFree) item.error("kind", kNoPlaybackInFree);
  if (rig.plant.actuators.empty()) item.error("", "there is no actuator to command");
  return spec;
}

/// Two can not listen at one place.
void check_ports(std::vector<Fields>& items, const std::vector<AdapterSpec>& specs) {
  std::set<std::pair<std::string, int>> taken;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto* udp = std::get_if<UdpAdapterSpec>(&specs[i]);
    if (udp == nullptr || udp->port == 0 || taken.insert({udp->listen, udp->port}).second) continue;
    items[i].error("port", "another adapter listens at " + udp->listen + ", port " + std::to_string(udp->port));
  }
}

}  // namespace

void read_adapters(Fields& root, const RigScope& scope, const std::filesystem::path& folder, RigSpec& spec) {
  std::vector<Fields> items = root.optional_list("adapters");
  if (items.size() > kMaxAdapters) {
    root.error("adapters", "at most " + std::to_string(kMaxAdapters) + ", got " + std::to_string(items.size()));
    items.erase(items.begin() + kMaxAdapters, items.end());
  }
  for (Fields& item : items) {
    const std::optional<Kind> kind = item.choice("kind", kind_words());
    if (!kind) {
      spec.adapters.emplace_back();  // its keys can not be judged
      continue;
    }
    if (*kind == Kind::kUdp) {
      spec.adapters.emplace_back(read_udp(item, scope, spec));
    } else {
      spec.adapters.emplace_back(read_playback(item, folder, spec));
    }
    item.finish();
  }
  check_ports(items, spec.adapters);
}

}  // namespace kinloop

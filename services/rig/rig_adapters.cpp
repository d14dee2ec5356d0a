// Adapters: which wire, who is at its other end, which signals it carries. No file of theirs is opened here.
#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "core/base/nearest_name.hpp"
#include "services/net/udp_address.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

enum class Kind { kUdp, kPlayback };

constexpr long long kHighestPort = 65535;
constexpr double kShortestLease_s = 0.01;
constexpr double kLongestLease_s = 60.0;
constexpr double kLongestStart_s = 1e6;

ChoiceTable<Kind> kind_words() {
  static constexpr std::array<KindName<Kind>, 2> kWords{{{Kind::kUdp, "udp"}, {Kind::kPlayback, "playback"}}};
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
template <class Spec>
void read_names(const KeyReading& key, const std::vector<Spec>& specs, std::vector<std::string>& chosen) {
  const std::vector<std::string> all = names_of(specs);
  const std::optional<std::vector<std::string>> read = key.fields.optional_texts(key.name);
  chosen = read.value_or(all);
  if (!read || has_unnamed(specs)) return;
  const std::vector<std::string_view> known(all.begin(), all.end());
  const YamlNode& list = *key.fields.node(key.name);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::string& name = chosen[i];
    const std::string path = key.fields.path_of(key.name) + "[" + std::to_string(i) + "]";
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      key.fields.values().report(list.items[i], path,
                                 "the rig has none of the name " + in_quotes(name) + did_you_mean(name, known));
    } else if (!seen.insert(name).second) {
      key.fields.values().report(list.items[i], path, in_quotes(name) + " is named twice");
    }
  }
}

std::string names_text(const std::vector<std::string>& list, const WriteScope& /*scope*/) { return names(list); }

/// The word that says which adapter it is.
template <class Spec>
RigField<Spec> kind_field(const char* kind) {
  RigField<Spec> made{{"kind", kind, kRequired, "\"const\": \"" + std::string(kind) + "\""}, {}, {}, {}};
  made.write = [kind](const Spec&, const WriteScope&, Lines& lines) { lines.add("kind", kind); };
  return made;
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
  for (const std::string& host : spec.senders) {
    const auto sender = read_address(item, "senders", host, 0);
    if (sender && sender->family() != listen->family()) {
      item.error("senders",
                 in_quotes(host) + " is of another kind of address than 'listen', " + in_quotes(spec.listen));
    }
  }
  if (!listen->is_loopback() && spec.replies() && spec.senders.empty()) {
    item.error("reply",
               "frames would go to whoever sends, and addresses of senders can be forged: name the hosts that may "
               "command, 'senders: [10.0.0.2]', or where frames go, 'peer'");
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
void check_peer(Fields& item) {
  const bool replies = item.has("reply") && item.boolean_or("reply", true);
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
void read_frame_rate(const KeyReading& key, int& every) {
  const int made = key.scope.rig->frames.every;
  every = made;
  const std::size_t errors_before = key.fields.values().diagnostics().count();
  const int wanted = read_every(key.fields, key.scope);
  if (!key.fields.has(key.name) || key.fields.values().diagnostics().count() != errors_before) return;
  if (wanted % made == 0) {
    every = wanted;
  } else {
    key.error("frames leave the rig every " + std::to_string(made) + " steps ('frames'), and every " +
              std::to_string(wanted) + " is no multiple of that");
  }
}

UdpAdapterSpec read_udp(Fields& item, const RigScope& scope) {
  UdpAdapterSpec spec;
  read_fields(udp_fields(), item, scope, spec);
  if (!item.has("port")) item.error("", "missing key 'port': where it listens");
  check_peer(item);
  check_addresses(item, spec);
  if (spec.actuators.empty()) {
    item.error(item.has("actuators") ? "actuators" : "", "there is no actuator to command");
  }
  if (spec.lease_s < kShortestLease_s || spec.lease_s > kLongestLease_s) {
    item.error("lease", "must lie between 10 ms and 60 s, got " + shown(spec.lease_s) + " s");
  }
  return spec;
}

void read_file_name(const KeyReading& key, std::filesystem::path& path) {
  const std::string file = key.fields.text(key.name);
  if (file.find('\0') != std::string::npos) key.error("is no name of a file");
  std::error_code failure;
  if (!file.empty()) path = std::filesystem::absolute(key.scope.folder / file, failure).lexically_normal();
}

PlaybackAdapterSpec read_playback(Fields& item, const RigScope& scope) {
  PlaybackAdapterSpec spec;
  read_fields(playback_fields(), item, scope, spec);
  if (spec.start_s > kLongestStart_s) item.error("start", "is at most 1e6 s, got " + shown(spec.start_s) + " s");
  if (scope.rig->mode == rt::Mode::kFree) item.error("kind", kNoPlaybackInFree);
  if (scope.rig->plant.actuators.empty()) item.error("", "there is no actuator to command");
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

const RigFields<UdpAdapterSpec>& udp_fields() {
  using S = UdpAdapterSpec;
  const auto has_peer = [](const S& udp) { return !udp.replies(); };
  const std::string names_schema = R"("items": {"type": "string", "minLength": 1})";
  static const RigFields<S> kFields = {
      kind_field<S>("udp"),
      field("listen", Text{}, "127.0.0.1",
            "address for commands, IPv4 or IPv6, as a number; beyond loopback only with `insecure: true`", &S::listen),
      field("port", Whole{1, kHighestPort}, kRequired, "for commands", &S::port),
      shared_field<S>(
          "reply", YesNo::schema(), derived("this or `peer`"),
          "`true`: frames of sensors go to who sent the last good command, at most one for each", nullptr,
          [](const S& udp, const WriteScope&) { return udp.replies() ? std::string(yes_or_no(true)) : std::string{}; }),
      field(
          "senders",
          Special<std::vector<std::string>>{[](const KeyReading& key, std::vector<std::string>& hosts) {
                                              hosts = key.fields.optional_texts(key.name).value_or(hosts);
                                            },
                                            names_text, R"("type": "array", "minItems": 1, )" + names_schema},
          derived("all that reach it"),
          "hosts that may command, as numbers, on any port; needed with `reply` beyond loopback: frames go to no other",
          &S::senders),
      field("peer", Text{}, derived(""), "address that frames go to instead, as a number", &S::peer),
      written_if(has_peer, field("peer_port", Whole{1, kHighestPort}, derived("required with `peer`"), "its port",
                                 &S::peer_port)),
      field("insecure", YesNo{}, "false",
            "consent to an address that other hosts reach: UDP knows no keys, whoever sends a frame moves the machine",
            &S::insecure),
      field("actuators",
            Special<std::vector<std::string>>{[](const KeyReading& key, std::vector<std::string>& chosen) {
                                                read_names(key, key.scope.rig->plant.actuators, chosen);
                                              },
                                              names_text, R"("type": "array", "minItems": 1, )" + names_schema},
            derived("all"), "names, in the order of the values of a command", &S::actuators),
      field("sensors",
            Special<std::vector<std::string>>{[](const KeyReading& key, std::vector<std::string>& chosen) {
                                                read_names(key, key.scope.rig->plant.sensors, chosen);
                                              },
                                              names_text, R"("type": "array", )" + names_schema},
            derived("all"), "names, in the order of the values of a frame", &S::sensors),
      field("rate",
            Special<int>{read_frame_rate,
                         [](const int& every, const WriteScope& scope) { return Rate::text(every, scope); },
                         Rate::schema()},
            derived("all that leave"),
            "of frames; must divide the rate of the rig's [`frames`](#late-and-failed-steps); in `lockstep` every "
            "command is answered all the same",
            &S::every),
      field("lease",
            Number{.dimension = Dimension::time(),
                   .unit = "s",
                   .range = Range::kPositive,
                   .bounds = R"("minimum": 0.01, "maximum": 60)"},
            "100 ms", "silence after which others may command, 10 ms to 60 s", &S::lease_s),
  };
  return kFields;
}

const RigFields<PlaybackAdapterSpec>& playback_fields() {
  using S = PlaybackAdapterSpec;
  static const RigFields<S> kFields = {
      kind_field<S>("playback"),
      field("file",
            Special<std::filesystem::path>{
                read_file_name,
                [](const std::filesystem::path& file, const WriteScope&) { return in_double_quotes(file.string()); },
                Text{}.schema()},
            kRequired, "a stimulus: CSV, or the record of a run (`.mcap`), from the folder of the rig file", &S::file),
      field("interpolation", Word<Interpolation>{interpolation_words}, "hold",
            "`hold` each row until the next, or `linear`", &S::interpolation),
      field("repeat", YesNo{}, "false", "start over after the last row", &S::repeat),
      field("start",
            Number{.dimension = Dimension::time(),
                   .unit = "s",
                   .range = Range::kNonNegative,
                   .bounds = R"("minimum": 0, "maximum": 1000000.0)"},
            "0 s", "the plant's time at which the file's is zero", &S::start_s),
  };
  return kFields;
}

void read_adapters(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::vector<Fields> items = read_list(root, "adapters", kMaxAdapters);
  for (Fields& item : items) {
    const std::optional<Kind> kind = item.choice("kind", kind_words());
    if (!kind) {
      spec.adapters.emplace_back();  // its keys can not be judged
      continue;
    }
    if (*kind == Kind::kUdp) {
      spec.adapters.emplace_back(read_udp(item, scope));
    } else {
      spec.adapters.emplace_back(read_playback(item, scope));
    }
    item.finish();
  }
  check_ports(items, spec.adapters);
}

}  // namespace kinloop

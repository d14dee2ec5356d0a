// Writes what udp_frame.hpp says, for a compiler that has never heard of this program.
#include "services/io/udp_header_text.hpp"

#include <array>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "services/io/udp_frame.hpp"

namespace kinloop::io {
namespace {

std::string hex(std::uint64_t value, int digits) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%0*" PRIx64, digits, value);
  return text.data();
}

std::string number(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Nothing that could end a comment or a line: names of rigs are any text.
std::string tame(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = (c >= ' ' && c <= '~') && c != '*' && c != '/' && c != '\\';
    result += is_plain ? c : '_';
  }
  return result;
}

std::string definition(const std::string& name, const std::string& value, const std::string& comment) {
  return "#define KINLOOP_" + name + " " + value + (comment.empty() ? "" : "  /* " + comment + " */") + "\n";
}

std::string head(const std::string& name, const RigSpec& rig) {
  return "/* Frames of " + tame(name) + " of the rig " + tame(rig.name) +
         ", written by kinloop udp-header.\n"
         "   Write it again when signals of the rig change: the plant drops frames of another layout.\n"
         "   C99, little-endian, IEEE 754. Values are in SI units. */\n"
         "#ifndef KINLOOP_UDP_H\n"
         "#define KINLOOP_UDP_H\n"
         "\n"
         "#include <stddef.h>\n"
         "#include <stdint.h>\n"
         "#include <string.h>\n"
         "\n"
         "#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)\n"
         "#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__\n"
         "#error \"the frames are little-endian: this machine is not\"\n"
         "#endif\n"
         "#endif\n"
         "\n";
}

std::string constants(const UdpAdapterSpec& adapter, const UdpLayout& layout, const RigSpec& rig) {
  std::string text = definition("UDP_ADDRESS", "\"" + tame(adapter.listen) + "\"", "where the plant listens");
  text += definition("UDP_PORT", std::to_string(adapter.port), "");
  if (adapter.replies()) {
    text += "/* Frames of sensors go to the address that commands come from. */\n";
  } else {
    text += definition("UDP_PEER_ADDRESS", "\"" + tame(adapter.peer) + "\"", "where frames of sensors go");
    text += definition("UDP_PEER_PORT", std::to_string(adapter.peer_port), "");
  }
  text += definition("STEP_S", number(rig.plant.dt_s), "of the plant");
  text += definition("FRAME_PERIOD_S", number(rig.plant.dt_s * adapter.every),
                     "from frame to frame; in lockstep each command is answered");
  text += definition("LEASE_S", number(adapter.lease_s), "of silence, after which others may command");
  text += definition("COMMAND_MAGIC", "UINT32_C(" + hex(kUdpCommandMagic, 8) + ")", "");
  text += definition("SENSORS_MAGIC", "UINT32_C(" + hex(kUdpSensorMagic, 8) + ")", "");
  text += definition("UDP_VERSION", std::to_string(kUdpVersion), "");
  text += definition("UDP_LAYOUT", "UINT64_C(" + hex(layout.hash, 16) + ")", "of names, units and order");
  return text + "\n";
}

std::string flags() {
  const auto flag = [](const char* name, std::uint32_t bit, const char* comment) {
    return definition("FLAG_" + std::string(name), "UINT32_C(" + std::to_string(bit) + ")", comment);
  };
  return "/* Bits of the flags of a frame. */\n" +
         flag("OVERRUN", rt::frame_flag::kOverrun, "the step before this one ended too late") +
         flag("STALE", rt::frame_flag::kStale, "some actuator was made safe: re-arm it") +
         flag("DEGRADED", rt::frame_flag::kDegraded, "the step was given less than all work") +
         flag("FAULTED", rt::frame_flag::kFaulted, "values are as the rig declares them for this") +
         flag("FROZEN", rt::frame_flag::kFrozen, "the plant stands still") + "\n";
}

std::string index_constants(const char* kind, const std::vector<UdpSignal>& signals, bool with_limits) {
  std::string text;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const UdpSignal& signal = signals[i];
    std::string comment = signal.unit.empty() ? "1" : signal.unit;
    if (with_limits && std::isfinite(signal.lower) && std::isfinite(signal.upper)) {
      comment += ", " + number(signal.lower) + " to " + number(signal.upper);
    }
    text += definition(std::string(kind) + "_" + signal.name, std::to_string(i), comment);
  }
  return text + definition(std::string(kind) + "S", std::to_string(signals.size()), "how many") + "\n";
}

std::string structs(const UdpLayout& layout) {
  std::string text =
      "/* Members lie at multiples of their sizes, so there is no padding; the assertions below see to it. */\n"
      "struct kinloop_command {\n"
      "  uint32_t magic;\n"
      "  uint16_t version;\n"
      "  uint16_t count; /* of values */\n"
      "  uint64_t layout;\n"
      "  uint64_t sequence; /* goes up; a controller that starts again begins with 1 once its lease is over */\n"
      "  uint64_t rearm;    /* bit i: actuator i may move again after it was made safe */\n"
      "  double value[KINLOOP_ACTUATORS];\n"
      "};\n"
      "\n"
      "struct kinloop_sensors {\n"
      "  uint32_t magic;\n"
      "  uint16_t version;\n"
      "  uint16_t count;\n"
      "  uint64_t layout;\n"
      "  uint64_t sequence; /* goes up by 1: a gap is a lost frame */\n"
      "  uint64_t step;\n"
      "  double time_s; /* of the plant */\n"
      "  uint64_t command_sequence; /* of the command in force */\n"
      "  uint64_t state_hash;\n"
      "  uint32_t flags;\n"
      "  uint32_t command_age; /* steps */\n";
  if (!layout.sensors.empty()) text += "  double value[KINLOOP_SENSORS]; /* NaN: the sensor shows none */\n";
  return text + "};\n\n";
}

std::string assertions(const UdpLayout& layout) {
  const auto assertion = [](const std::string& name, const std::string& condition) {
    return "typedef char kinloop_assert_" + name + "[(" + condition + ") ? 1 : -1];\n";
  };
  std::string text = assertion(
      "command", "sizeof(struct kinloop_command) == " + std::to_string(udp_command_size(layout.actuators.size())));
  text += assertion("command_value", "offsetof(struct kinloop_command, value) == " + std::to_string(kUdpCommandHeader));
  text += assertion("sensors",
                    "sizeof(struct kinloop_sensors) == " + std::to_string(udp_sensor_size(layout.sensors.size())));
  text += assertion("sensors_age", "offsetof(struct kinloop_sensors, command_age) == 60");
  return text + "\n";
}

constexpr const char* kFunctions = R"(/* Fills in all but the values. */
static inline void kinloop_fill_command(struct kinloop_command *command, uint64_t sequence) {
  command->magic = KINLOOP_COMMAND_MAGIC;
  command->version = KINLOOP_UDP_VERSION;
  command->count = KINLOOP_ACTUATORS;
  command->layout = KINLOOP_UDP_LAYOUT;
  command->sequence = sequence;
  command->rearm = 0;
}

/* 1 and the frame, if the datagram is a frame of this layout that is newer than `last`, the sequence of the frame
   before it (0: none); 0 otherwise. */
static inline int kinloop_check_sensors(const void *datagram, size_t size, uint64_t last,
                                        struct kinloop_sensors *frame) {
  if (size != sizeof *frame) return 0;
  memcpy(frame, datagram, sizeof *frame);
  return frame->magic == KINLOOP_SENSORS_MAGIC && frame->version == KINLOOP_UDP_VERSION &&
         frame->count == KINLOOP_SENSORS && frame->layout == KINLOOP_UDP_LAYOUT && frame->sequence > last;
}

#endif
)";

}  // namespace

std::string udp_header_text(const std::string& name, const UdpAdapterSpec& adapter, const UdpLayout& layout,
                            const RigSpec& rig) {
  return head(name, rig) + constants(adapter, layout, rig) + flags() +
         index_constants("ACTUATOR", layout.actuators, true) + index_constants("SENSOR", layout.sensors, false) +
         structs(layout) + assertions(layout) + kFunctions;
}

}  // namespace kinloop::io

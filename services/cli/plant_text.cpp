// The words are those of the schema's enumerations, without what C++ wants around them.
#include "services/cli/plant_text.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

/// "MODE_REAL_TIME" without "MODE_", in small letters.
std::string without_prefix(const std::string& name, std::string_view prefix) {
  std::string word = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word.empty() || word == "unspecified" ? "unknown" : word;
}

void add_word(std::string& text, bool is_set, const char* word) {
  if (is_set) text += (text.empty() ? "" : ", ") + std::string(word);
}

}  // namespace

std::string word_of(v1::Mode mode) { return without_prefix(v1::Mode_Name(mode), "MODE_"); }
std::string word_of(v1::PlantState state) { return without_prefix(v1::PlantState_Name(state), "PLANT_STATE_"); }

std::string frame_flag_words(std::uint32_t flags) {
  std::string text;
  add_word(text, (flags & v1::FRAME_FLAG_OVERRUN) != 0, "overrun");
  add_word(text, (flags & v1::FRAME_FLAG_STALE) != 0, "stale");
  add_word(text, (flags & v1::FRAME_FLAG_DEGRADED) != 0, "degraded");
  add_word(text, (flags & v1::FRAME_FLAG_FAULTED) != 0, "faulted");
  add_word(text, (flags & v1::FRAME_FLAG_FROZEN) != 0, "frozen");
  return text;
}

std::string stop_text(const v1::Status& status, const v1::Description& plant) {
  if (status.actuators_stopped().empty()) return {};
  if (status.actuators_stopped_size() == plant.actuators_size()) {
    return "emergency stop: all actuators are safe until they are re-armed";
  }
  std::string names;
  for (const std::string& name : status.actuators_stopped()) names += (names.empty() ? "" : ", ") + printable(name);
  return "emergency stop: until they are re-armed it holds " + names;
}

std::string sensor_flag_words(unsigned char flags) {
  std::string text;
  add_word(text, (flags & v1::SENSOR_FLAG_LOST) != 0, "lost");
  add_word(text, (flags & v1::SENSOR_FLAG_SATURATED) != 0, "saturated");
  add_word(text, (flags & v1::SENSOR_FLAG_INVALID) != 0, "invalid");
  return text;
}

unsigned char sensor_flags(const v1::SensorFrame& frame, int sensor) {
  const auto index = static_cast<std::size_t>(sensor);
  return index < frame.quality().size() ? static_cast<unsigned char>(frame.quality()[index]) : 0;
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  }
  return text;
}

std::string limits_text(double lower, double upper) {
  if (std::isinf(lower) && std::isinf(upper)) return "-";
  return console::plain_number(lower) + " .. " + console::plain_number(upper);
}

std::string microseconds(double duration_ns) { return console::formatted("%.1f", duration_ns / 1000.0); }

std::string seconds_text(double time_s) {
  if (time_s < 1e-3) return console::plain_number(time_s * 1e6) + " us";
  if (time_s < 1.0) return console::plain_number(time_s * 1e3) + " ms";
  return console::plain_number(time_s) + " s";
}

}  // namespace kinloop::cli

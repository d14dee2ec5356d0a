// Turns the facts of a record into the texts of its metadata, and back.
#include "services/record/record_facts.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <limits>
#include <system_error>

#include "core/base/nearest_name.hpp"

namespace kinloop::record {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::size_t kMaxSignals = 4096;  // far above what a rig may have

std::int64_t now_ns(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * kSecond_ns + now.tv_nsec;
}

/// Digits that read back as the same number.
template <class Number>
std::string text_of(Number number) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

template <class Signals>
void put_signals(const std::string& kind, const Signals& signals, McapMap& metadata) {
  metadata[kind + "s"] = text_of(signals.size());
  for (int i = 0; i < signals.size(); ++i) {
    const std::string key = kind + "." + text_of(i);
    metadata[key + ".name"] = signals[i].name();
    metadata[key + ".unit"] = signals[i].unit();
  }
}

/// Takes values out of metadata; the first that is missing or no number is remembered.
class Values {
 public:
  explicit Values(const McapMap& metadata) : metadata_(metadata) {}

  std::string text(const std::string& key) {
    const auto found = metadata_.find(key);
    if (found != metadata_.end()) return found->second;
    fail(key, "is missing");
    return {};
  }
  template <class Number>
  Number number(const std::string& key) {
    const std::string digits = text(key);
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) fail(key, in_quotes(digits) + " is no number");
    return value;
  }
  template <class Signals>
  void signals(const std::string& kind, Signals& to) {
    const auto count = number<std::size_t>(kind + "s");
    if (count > kMaxSignals) fail(kind + "s", "there are too many");
    for (std::size_t i = 0; i < count && !error_.has_value; ++i) {
      const std::string key = kind + "." + text_of(i);
      auto& signal = *to.Add();
      signal.set_name(text(key + ".name"));
      signal.set_unit(text(key + ".unit"));
    }
  }
  bool failed() const noexcept { return error_.has_value; }
  const Error& error() const noexcept { return error_.error; }
  void fail(const std::string& key, const std::string& what) {
    if (!error_.has_value) error_ = {true, {key, what}};
  }

 private:
  struct First {
    bool has_value = false;
    Error error;
  };
  const McapMap& metadata_;
  First error_;
};

v1::Mode mode_of(const std::string& name) {
  for (const v1::Mode mode : {v1::MODE_REAL_TIME, v1::MODE_LOCKSTEP, v1::MODE_FREE}) {
    if (mode_name(mode) == name) return mode;
  }
  return v1::MODE_UNSPECIFIED;
}

}  // namespace

RecordStart RecordStart::now() noexcept { return {now_ns(CLOCK_REALTIME), now_ns(CLOCK_MONOTONIC)}; }

std::uint64_t RecordStart::wall_at(std::int64_t at_monotonic_ns) const noexcept {
  // Without signs: any two numbers have a difference.
  const auto since = static_cast<std::uint64_t>(at_monotonic_ns) - static_cast<std::uint64_t>(monotonic_ns);
  return static_cast<std::uint64_t>(wall_ns) + since;
}

std::string mode_name(v1::Mode mode) {
  switch (mode) {
    case v1::MODE_REAL_TIME:
      return "real_time";
    case v1::MODE_LOCKSTEP:
      return "lockstep";
    case v1::MODE_FREE:
      return "free";
    default:
      return "unknown";
  }
}

McapMap metadata_of(const RecordFacts& facts) {
  const v1::Description& plant = facts.description;
  McapMap metadata = {{"program", plant.program()},
                      {"commit", facts.commit},
                      {"host", facts.host},
                      {"rig", plant.rig()},
                      {"model", plant.model()},
                      {"mode", mode_name(plant.mode())},
                      {"dt_s", text_of(plant.dt_s())},
                      {"schema_hash", text_of(plant.schema_hash())},
                      {"plant_hash", text_of(plant.plant_hash())},
                      {"start_wall_ns", text_of(facts.start.wall_ns)},
                      {"start_monotonic_ns", text_of(facts.start.monotonic_ns)}};
  put_signals("actuator", plant.actuators(), metadata);
  put_signals("sensor", plant.sensors(), metadata);
  return metadata;
}

Result<RecordFacts> facts_of(const McapMap& metadata) {
  Values values(metadata);
  RecordFacts facts;
  v1::Description& plant = facts.description;
  plant.set_program(values.text("program"));
  facts.commit = values.text("commit");
  facts.host = values.text("host");
  plant.set_rig(values.text("rig"));
  plant.set_model(values.text("model"));
  plant.set_mode(mode_of(values.text("mode")));
  plant.set_dt_s(values.number<double>("dt_s"));
  plant.set_schema_hash(values.number<std::uint64_t>("schema_hash"));
  plant.set_plant_hash(values.number<std::uint64_t>("plant_hash"));
  facts.start.wall_ns = values.number<std::int64_t>("start_wall_ns");
  facts.start.monotonic_ns = values.number<std::int64_t>("start_monotonic_ns");
  values.signals("actuator", *plant.mutable_actuators());
  values.signals("sensor", *plant.mutable_sensors());
  if (values.failed()) return values.error();
  return facts;
}

McapMap metadata_of(const RecordEnd& end) {
  return {{"messages", text_of(end.messages)}, {"dropped", text_of(end.dropped)}, {"trouble", end.trouble}};
}

Result<RecordEnd> end_of(const McapMap& metadata) {
  Values values(metadata);
  RecordEnd end;
  end.messages = values.number<std::uint64_t>("messages");
  end.dropped = values.number<std::uint64_t>("dropped");
  end.trouble = values.text("trouble");
  if (values.failed()) return values.error();
  return end;
}

}  // namespace kinloop::record

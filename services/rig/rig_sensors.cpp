// Reads sensors: which signal each is put to, and what it makes of it, in the signal's unit.
#include <algorithm>

#include "core/base/nearest_name.hpp"
#include "core/plant/signal.hpp"
#include "services/rig/rig_times.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {
namespace {

/// What readings and their drift are measured in.
struct SignalDimensions {
  Dimension value = Dimension::any();
  Dimension rate = Dimension::any();
};

SignalDimensions signal_dimensions(SignalUnit unit) {
  switch (unit) {
    case SignalUnit::kRad:
      return {Dimension::angle(), Dimension::angular_speed()};
    case SignalUnit::kRadPerS:
      return {Dimension::angular_speed(), Dimension::angular_acceleration()};
    case SignalUnit::kRadPerS2:
      return {Dimension::angular_acceleration(), Dimension::angular_jerk()};
    case SignalUnit::kM:
      return {Dimension::length(), Dimension::speed()};
    case SignalUnit::kMPerS:
      return {Dimension::speed(), Dimension::acceleration()};
    case SignalUnit::kMPerS2:
      return {Dimension::acceleration(), Dimension::jerk()};
    case SignalUnit::kN:
      return {Dimension::force(), Dimension::force_rate()};
    case SignalUnit::kNm:
      return {Dimension::torque(), Dimension::torque_rate()};
    case SignalUnit::kA:
      return {Dimension::current(), Dimension::current_rate()};
    case SignalUnit::kPa:
      return {Dimension::pressure(), Dimension::pressure_rate()};
    case SignalUnit::kNone:
      return {Dimension::none(), Dimension::per_time()};
  }
  return {};
}

SignalDimensions read_signal(Fields& item, const RigScope& scope, const PlantSpec& plant, std::string& name) {
  name = item.text("signal");
  if (name.empty() || scope.model == nullptr) return {};
  const Result<Signal> signal = find_signal(*scope.model, plant, name);
  if (signal) return signal_dimensions(signal->unit);
  if (!has_unnamed(plant.actuators) && !has_unnamed(plant.pumps)) item.error("signal", signal.error().what);
  return {};
}

void read_on_fault(Fields& item, const Dimension& dimension, SensorSpec& spec) {
  const YamlNode* value = item.node("on_fault");
  if (value == nullptr) return;
  const std::string_view hold = name_of(OnFault::kHold);
  const std::string_view invalid = name_of(OnFault::kInvalid);
  if (value->is_mapping()) {
    Fields answer = item.child("on_fault");
    spec.on_fault = OnFault::kValue;
    spec.fault_value = answer.number(name_of(OnFault::kValue), dimension);
    answer.finish();
  } else if (value->is_scalar() && value->text == hold) {
    spec.on_fault = OnFault::kHold;
  } else if (value->is_scalar() && value->text == invalid) {
    spec.on_fault = OnFault::kInvalid;
  } else {
    const std::vector<std::string_view> words{hold, invalid};
    item.error("on_fault",
               "expected 'hold', 'invalid' or a value to show, {value: 0}" +
                   (value->is_scalar() ? ", got " + in_quotes(value->text) + did_you_mean(value->text, words)
                                       : std::string{}));
  }
}

SensorSpec read_sensor(Fields& item, const RigScope& scope, RigNames& names, const PlantSpec& plant) {
  SensorSpec spec;
  SensorSettings& settings = spec.settings;
  spec.name = names.read(item);
  const SignalDimensions dimensions = read_signal(item, scope, plant, spec.signal);
  settings.every = read_every(item, scope);
  settings.delay_s = read_delay(item, "delay", settings.delay_s, scope);
  settings.bias = item.number_or("bias", dimensions.value, settings.bias);
  settings.drift_per_s = item.number_or("drift", dimensions.rate, settings.drift_per_s);
  settings.noise = item.number_or("noise", dimensions.value, settings.noise, Range::kNonNegative);
  settings.quantum = item.number_or("quantum", dimensions.value, settings.quantum, Range::kNonNegative);
  if (const std::optional<RigRange> range = read_range(item, "saturation", dimensions.value)) {
    settings.lower = range->lower;
    settings.upper = range->upper;
  }
  settings.dropout = item.number_or("dropout", Dimension::none(), settings.dropout, Range::kZeroToOne);
  read_on_fault(item, dimensions.value, spec);
  item.finish();
  return spec;
}

}  // namespace

void read_sensors(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::vector<Fields> items = root.optional_list("sensors");
  if (items.size() > rt::kMaxSensors) {
    root.error("sensors", "at most " + std::to_string(rt::kMaxSensors) + " sensors fit into a frame, got " +
                              std::to_string(items.size()));
    items.erase(items.begin() + rt::kMaxSensors, items.end());
  }
  RigNames names("sensor");
  for (Fields& item : items) spec.plant.sensors.push_back(read_sensor(item, scope, names, spec.plant));
}

}  // namespace kinloop

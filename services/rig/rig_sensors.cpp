// Sensors: which signal each is put to, and what it makes of it, in the signal's unit.
#include <algorithm>

#include "core/base/nearest_name.hpp"
#include "core/plant/signal.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

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

void read_on_fault(const KeyReading& key, SensorSpec& spec) {
  const YamlNode* value = key.fields.node(key.name);
  if (value == nullptr) return;
  const std::vector<std::string_view> words{name_of(OnFault::kHold), name_of(OnFault::kInvalid)};
  if (value->is_mapping()) {
    Fields answer = key.fields.child(key.name);
    spec.on_fault = OnFault::kValue;
    spec.fault_value = answer.number(name_of(OnFault::kValue), key.scope.value);
    answer.finish();
  } else if (value->is_scalar() && value->text == words[0]) {
    spec.on_fault = OnFault::kHold;
  } else if (value->is_scalar() && value->text == words[1]) {
    spec.on_fault = OnFault::kInvalid;
  } else {
    key.error(
        "expected 'hold', 'invalid' or a value to show, {value: 0}" +
        (value->is_scalar() ? ", got " + in_quotes(value->text) + did_you_mean(value->text, words) : std::string{}));
  }
}

RigField<SensorSpec> on_fault_field() {
  RigField<SensorSpec> made = shared_field<SensorSpec>(
      "on_fault",
      R"("anyOf": [{"enum": ["hold", "invalid"]}, {"description": "A value to show", "type": "object", )"
      R"("additionalProperties": false, "required": ["value"], "properties": {"value": {"description": )"
      R"("In the signal's unit", "allOf": [{"$ref": "#/definitions/quantity"}]}}}])",
      "hold", "shown once the plant can no longer be trusted: `hold`, `invalid`, or a value, `{value: 0 rad}`",
      read_on_fault, [](const SensorSpec& sensor, const WriteScope& /*scope*/) {
        const bool is_value = sensor.on_fault == OnFault::kValue;
        return is_value ? number(sensor.fault_value) : std::string(name_of(sensor.on_fault));
      });
  made.write = [word = made.write](const SensorSpec& sensor, const WriteScope& scope, Lines& lines) {
    if (sensor.on_fault != OnFault::kValue) return word(sensor, scope, lines);
    lines.open("on_fault");
    lines.add(name_of(OnFault::kValue), number(sensor.fault_value));
    lines.close();
  };
  return made;
}

}  // namespace

const RigFields<SensorSpec>& sensor_fields() {
  using S = SensorSettings;
  constexpr auto kIn = &SensorSpec::settings;
  static const RigFields<SensorSpec> kFields = {
      unread(field("name", ItemName{}, kRequired, "unique among sensors", &SensorSpec::name)),
      unread(field("signal",
                   Text{.pattern = "^((q|u|a|force|current|pressure_a|pressure_b|pressure|tension|length|contact)"
                                   "\\\\.[^.].*|(position|velocity|acceleration|rate)\\\\..+\\\\.[xyz]"
                                   "|reaction\\\\..+\\\\.[fm][xyz])$"},
                   kRequired, "see below", &SensorSpec::signal)),
      field("rate", Rate{}, derived("every step"), "of samples; must divide the rate of the rig", kIn, &S::every),
      field("delay", Delay{}, "0 s", "bounded as that of actuators", kIn, &S::delay_s),
      field("bias", in_unit(&RigScope::value), "0", "added to the value", kIn, &S::bias),
      field("drift", in_unit(&RigScope::rate), "0", "of the bias, which grows with time, per second", kIn,
            &S::drift_per_s),
      field("noise", in_unit(&RigScope::value, Range::kNonNegative), "0", "standard deviation", kIn, &S::noise),
      field("quantum", in_unit(&RigScope::value, Range::kNonNegative), "0", "between two readings; 0: none", kIn,
            &S::quantum),
      field("saturation", Limits{}, "none", "`[lowest, highest]` reading; `none`", kIn),
      field("dropout", Number{.range = Range::kZeroToOne}, "0",
            "share of samples that are lost, 0 to 1; the last value stays and is marked", kIn, &S::dropout),
      on_fault_field(),
  };
  return kFields;
}

void read_sensors(Fields& root, const RigScope& scope, RigSpec& spec) {
  RigNames names("sensor");
  RigScope of_signal = scope;
  for (Fields& item : read_list(root, "sensors", rt::kMaxSensors, "sensors fit into a frame")) {
    SensorSpec sensor;
    sensor.name = names.read(item);
    const SignalDimensions dimensions = read_signal(item, scope, spec.plant, sensor.signal);
    of_signal.value = dimensions.value;
    of_signal.rate = dimensions.rate;
    read_fields(sensor_fields(), item, of_signal, sensor);
    item.finish();
    spec.plant.sensors.push_back(sensor);
  }
}

}  // namespace kinloop

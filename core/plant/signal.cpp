// Implements the look-up: a word, a dot, and what the word's quantity is of.
#include "core/plant/signal.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/actuators/actuator_type.hpp"
#include "core/base/at.hpp"
#include "core/base/nearest_name.hpp"
#include "core/joints/joint.hpp"
#include "core/plant/coordinate_names.hpp"

namespace kinloop {
namespace {

struct Word {
  std::string_view name;
  SignalKind kind;
};

constexpr std::array kBeforeQuantities = std::to_array<Word>({
    {"q", SignalKind::kCoordinate},
    {"u", SignalKind::kSpeed},
    {"a", SignalKind::kCoordinateAcceleration},
    {"force", SignalKind::kActuatorForce},
});
constexpr std::array kBehindQuantities = std::to_array<Word>({
    {"pressure", SignalKind::kPumpPressure},
    {"position", SignalKind::kPosition},
    {"velocity", SignalKind::kVelocity},
    {"acceleration", SignalKind::kAcceleration},
    {"rate", SignalKind::kAngularVelocity},
    {"tension", SignalKind::kRopeTension},
    {"length", SignalKind::kRopeLength},
    {"contact", SignalKind::kContactForce},
    {"reaction", SignalKind::kReaction},
});

/// With what the types of actuators name, in the order in which people read them.
std::vector<Word> signal_words() {
  std::vector<Word> words(kBeforeQuantities.begin(), kBeforeQuantities.end());
  for (const ActuatorType& type : actuator_types()) {
    for (const QuantityName& quantity : type.quantities)
      words.push_back({quantity.word, SignalKind::kActuatorQuantity});
  }
  words.insert(words.end(), kBehindQuantities.begin(), kBehindQuantities.end());
  return words;
}

/// A name taken apart, for those who look up one part of it.
struct Name {
  const Model& model;
  const PlantSpec& plant;
  std::string_view full;
  const Word& word;
  std::string_view of;  // behind the word and its dot

  std::string prefix() const { return std::string(word.name) + "."; }
  Error error(std::string what) const { return {std::string(full), std::move(what)}; }
};

/// Angle, length or neither, of position coordinate i.
SignalUnit unit_of_coordinate(const Model& model, int i) {
  for (int k = 1; k < model.body_count(); ++k) {
    const JointKind& kind = joint_kind(model.body(k).joint);
    const int part = i - model.body(k).q;
    if (part < 0 || part >= kind.nq) continue;
    if (kind.quaternion >= 0 && part >= kind.quaternion) return SignalUnit::kNone;
    const bool is_angle = speed_kinds(kind.type)[at(part)] == SpeedKind::kAngle;
    return is_angle ? SignalUnit::kRad : SignalUnit::kM;
  }
  return SignalUnit::kNone;
}

SpeedKind kind_of_speed(const Model& model, int i) {
  const BodyConstants& body = model.body(model.coordinate(i).body);
  return speed_kinds(body.joint)[at(i - body.v)];
}

Result<Signal> coordinate(const Name& name) {
  const Result<int> i = find_coordinate(name.model, name.of, name.prefix());
  if (!i) return name.error(i.error().what);
  Signal signal;
  signal.kind = name.word.kind;
  signal.index = *i;
  signal.unit = unit_of_coordinate(name.model, *i);
  return signal;
}

Result<Signal> speed(const Name& name) {
  const Result<int> i = find_speed(name.model, name.of, name.prefix());
  if (!i) return name.error(i.error().what);
  const bool is_angle = kind_of_speed(name.model, *i) == SpeedKind::kAngle;
  Signal signal;
  signal.kind = name.word.kind;
  signal.index = *i;
  if (signal.kind == SignalKind::kSpeed) {
    signal.unit = is_angle ? SignalUnit::kRadPerS : SignalUnit::kMPerS;
  } else {
    signal.unit = is_angle ? SignalUnit::kRadPerS2 : SignalUnit::kMPerS2;
  }
  return signal;
}

template <class Spec>
Result<int> find_named(const Name& name, const std::vector<Spec>& specs, const char* what) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name.of) return static_cast<int>(i);
    known.push_back(specs[i].name);
  }
  return name.error(std::string("no ") + what + " is named " + in_quotes(name.of) + did_you_mean(name.of, known));
}

SignalUnit unit_of_force(const Model& model, const ActuatorSpec& actuator) {
  const Result<int> i = find_speed(model, actuator.joint);
  if (!i) return SignalUnit::kNone;  // the actuator itself is wrong
  return kind_of_speed(model, *i) == SpeedKind::kAngle ? SignalUnit::kNm : SignalUnit::kN;
}

Result<Signal> of_actuator(const Name& name) {
  const Result<int> i = find_named(name, name.plant.actuators, "actuator");
  if (!i) return i.error();
  Signal signal;
  signal.kind = SignalKind::kActuatorForce;
  signal.index = *i;
  signal.unit = unit_of_force(name.model, name.plant.actuators[at(*i)]);
  return signal;
}

/// The number of the quantity that the word names; -1: the type has none of the name.
int find_quantity(const ActuatorType& type, std::string_view word) {
  const auto found = std::find_if(type.quantities.begin(), type.quantities.end(),
                                  [&](const QuantityName& quantity) { return quantity.word == word; });
  return found == type.quantities.end() ? -1 : static_cast<int>(found - type.quantities.begin());
}

Error lacks_quantity(const Name& name) {
  for (const ActuatorType& type : actuator_types()) {
    const int number = find_quantity(type, name.word.name);
    if (number < 0) continue;
    return name.error("actuator " + in_quotes(name.of) + " is no " + std::string(type.noun) + ": it has no " +
                      std::string(type.quantities[at(number)].source));
  }
  return name.error("no actuator has such a quantity");
}

Result<Signal> quantity_of_actuator(const Name& name) {
  const Result<int> i = find_named(name, name.plant.actuators, "actuator");
  if (!i) return i.error();
  const ActuatorType& type = actuator_type(name.plant.actuators[at(*i)].kind);
  const int number = find_quantity(type, name.word.name);
  if (number < 0) return lacks_quantity(name);
  Signal signal;
  signal.kind = SignalKind::kActuatorQuantity;
  signal.index = *i;
  signal.quantity = number;
  signal.unit = type.quantities[at(number)].unit;
  return signal;
}

Result<Signal> of_pump(const Name& name) {
  const Result<int> i = find_named(name, name.plant.pumps, "pump");
  if (!i) return i.error();
  Signal signal;
  signal.kind = SignalKind::kPumpPressure;
  signal.index = *i;
  signal.unit = SignalUnit::kPa;
  return signal;
}

Result<Signal> of_rope(const Name& name) {
  const Result<int> i = find_named(name, name.model.spec().ropes, "rope");
  if (!i) return i.error();
  Signal signal;
  signal.kind = name.word.kind;
  signal.index = *i;
  signal.unit = signal.kind == SignalKind::kRopeTension ? SignalUnit::kN : SignalUnit::kM;
  return signal;
}

Result<Signal> of_contact(const Name& name) {
  const Result<int> i = find_named(name, name.model.spec().contacts, "contact");
  if (!i) return i.error();
  Signal signal;
  signal.kind = SignalKind::kContactForce;
  signal.index = *i;
  signal.unit = SignalUnit::kN;
  return signal;
}

/// Sets body and point; whether there is such a frame or body. Frames come first where both have the name.
bool find_place(const Model& model, std::string_view place, Signal& signal) {
  const std::vector<FrameOnBodySpec>& frames = model.spec().frames;
  const auto frame =
      std::find_if(frames.begin(), frames.end(), [&](const FrameOnBodySpec& f) { return f.name == place; });
  if (frame != frames.end()) {
    signal.body = model.find_body(frame->body);
    signal.point = frame->pose.p;
    return true;
  }
  signal.body = model.find_body(place);
  return signal.body >= 0;
}

Error unknown_place(const Name& name, std::string_view place) {
  std::vector<std::string_view> known;
  for (const FrameOnBodySpec& frame : name.model.spec().frames) known.push_back(frame.name);
  for (int k = 0; k < name.model.body_count(); ++k) known.push_back(name.model.body_name(k));
  return name.error("no frame or body is named " + in_quotes(place) + did_you_mean(place, known));
}

SignalUnit unit_of_place(SignalKind kind) {
  switch (kind) {
    case SignalKind::kPosition:
      return SignalUnit::kM;
    case SignalKind::kVelocity:
      return SignalUnit::kMPerS;
    case SignalKind::kAcceleration:
      return SignalUnit::kMPerS2;
    default:
      return SignalUnit::kRadPerS;
  }
}

Result<Signal> of_place(const Name& name) {
  constexpr std::string_view kAxes = "xyz";
  Signal signal;
  signal.kind = name.word.kind;
  signal.unit = unit_of_place(signal.kind);
  const std::size_t dot = name.of.rfind('.');
  const std::string_view axis = dot == std::string_view::npos ? "" : name.of.substr(dot + 1);
  const bool has_axis = axis.size() == 1 && kAxes.find(axis) != std::string_view::npos;
  const std::string_view place = has_axis ? name.of.substr(0, dot) : name.of;
  if (!find_place(name.model, place, signal)) {
    const bool may_be_an_axis = !has_axis && dot != std::string_view::npos;
    if (!may_be_an_axis || !find_place(name.model, name.of.substr(0, dot), signal)) return unknown_place(name, place);
    return name.error(in_quotes(axis) + " is no axis of the world; those are 'x', 'y', 'z'");
  }
  if (!has_axis) {
    const std::string full = name.prefix() + std::string(place);
    return name.error("lacks the axis: write " + in_quotes(full + ".x") + ", " + in_quotes(full + ".y") + " or " +
                      in_quotes(full + ".z"));
  }
  signal.axis = static_cast<int>(kAxes.find(axis));
  return signal;
}

Result<Signal> of_joint(const Name& name) {
  constexpr std::array<std::string_view, 6> kComponents = {"fx", "fy", "fz", "mx", "my", "mz"};
  const std::size_t dot = name.of.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? "" : name.of.substr(dot + 1);
  const auto component = std::find(kComponents.begin(), kComponents.end(), last);
  const std::string_view joint = component == kComponents.end() ? name.of : name.of.substr(0, dot);
  Signal signal;
  signal.kind = SignalKind::kReaction;
  signal.index = name.model.find_joint(joint);
  const auto loops = name.model.loops();
  const auto loop = std::find_if(loops.begin(), loops.end(), [&](const LoopJoint& l) { return l.name == joint; });
  if (signal.index < 0 && loop != loops.end()) {
    signal.of_loop = true;
    signal.index = static_cast<int>(loop - loops.begin());
  }
  if (signal.index < 0) {
    std::vector<std::string_view> known;
    for (int k = 1; k < name.model.body_count(); ++k) known.push_back(name.model.joint_name(k));
    for (const LoopJoint& l : loops) known.push_back(l.name);
    return name.error("no joint is named " + in_quotes(joint) + did_you_mean(joint, known));
  }
  if (component == kComponents.end()) {
    const std::string full = name.prefix() + std::string(joint);
    return name.error("lacks the component: write " + in_quotes(full + ".fx") + " to " + in_quotes(full + ".mz"));
  }
  signal.axis = static_cast<int>(component - kComponents.begin());
  signal.unit = signal.axis < 3 ? SignalUnit::kN : SignalUnit::kNm;
  return signal;
}

Error unknown_word(const Model& model, std::string_view full, std::string_view word) {
  std::vector<std::string_view> words;
  for (const Word& known : signal_words()) words.push_back(known.name);
  std::string what = in_quotes(full) + " is no signal";
  if (find_speed(model, full))
    return {std::string(full), what + "; did you mean " + in_quotes("q." + std::string(full)) + "?"};
  what += "; one starts with " + quoted_list(words) + " and a dot" + did_you_mean(word, words);
  return {std::string(full), what};
}

}  // namespace

Result<Signal> find_signal(const Model& model, const PlantSpec& plant, std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view first = name.substr(0, dot);
  const std::vector<Word> words = signal_words();
  const auto word = std::find_if(words.begin(), words.end(), [&](const Word& known) { return known.name == first; });
  if (word == words.end() || dot == std::string_view::npos) return unknown_word(model, name, first);
  const Name parts{model, plant, name, *word, name.substr(dot + 1)};
  switch (word->kind) {
    case SignalKind::kCoordinate:
      return coordinate(parts);
    case SignalKind::kSpeed:
    case SignalKind::kCoordinateAcceleration:
      return speed(parts);
    case SignalKind::kActuatorForce:
      return of_actuator(parts);
    case SignalKind::kActuatorQuantity:
      return quantity_of_actuator(parts);
    case SignalKind::kPumpPressure:
      return of_pump(parts);
    case SignalKind::kPosition:
    case SignalKind::kVelocity:
    case SignalKind::kAcceleration:
    case SignalKind::kAngularVelocity:
      return of_place(parts);
    case SignalKind::kRopeTension:
    case SignalKind::kRopeLength:
      return of_rope(parts);
    case SignalKind::kContactForce:
      return of_contact(parts);
    case SignalKind::kReaction:
      return of_joint(parts);
  }
  return unknown_word(model, name, first);
}

}  // namespace kinloop

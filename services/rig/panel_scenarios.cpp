// The instructor's buttons: what each does to the run, one action after the other.
#include <array>

#include "core/base/nearest_name.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/panel_sections.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

constexpr double kLongest_s = 1e6;

void read_fault_kind(const KeyReading& key, SignalFault& value) {
  const std::string kind = key.fields.text(key.name);
  const Result<SignalFault> fault = find_signal_fault(kind);
  if (fault && *fault != SignalFault::kNone) {
    value = *fault;
  } else if (!kind.empty()) {
    key.error("off, stuck, bias, drift, noise, wrong_sign, delay or drop, got " + in_quotes(kind));
  }
}

/// A fault may have one, an override must.
void read_action_value(const KeyReading& key, ScenarioAction& action) {
  const bool must = action.verb == ScenarioVerb::kOverride;
  action.value = must ? key.fields.number(key.name, Dimension::any())
                      : key.fields.number_or(key.name, Dimension::any(), action.value);
}

void read_action_duration(const KeyReading& key, double& duration_s) {
  duration_s = key.fields.number_or(key.name, Dimension::time(), duration_s, Range::kNonNegative);
  if (duration_s > kLongest_s) key.error("is at most 1e6 s, got " + shown(duration_s) + " s");
}

void read_new_parameters(Fields& item, const RigScope& /*scope*/, ScenarioAction& action) {
  const YamlNode* settings = item.node("set");
  if (!settings->is_mapping() || settings->entries.empty()) {
    return item.error("set", "expected a mapping of parameters of the model to what they are to be");
  }
  for (const YamlEntry& entry : settings->entries) {
    if (entry.value.is_scalar()) {
      action.parameters.push_back({entry.key, entry.value.text});
    } else {
      item.error("set", in_quotes(entry.key) + " wants a number or an expression");
    }
  }
}

void read_cleared(const KeyReading& key, std::string& target) {
  if (!key.is_word("all")) OneOf{"signal", &RigNameLists::signals}.read(key, target);
}

constexpr std::array<KindName<ScenarioVerb>, 9> kActionVerbs{{{ScenarioVerb::kFault, "fault"},
                                                              {ScenarioVerb::kOverride, "override"},
                                                              {ScenarioVerb::kForce, "push"},
                                                              {ScenarioVerb::kParameters, "set"},
                                                              {ScenarioVerb::kClear, "clear"},
                                                              {ScenarioVerb::kNote, "note"},
                                                              {ScenarioVerb::kReset, "reset"},
                                                              {ScenarioVerb::kPause, "pause"},
                                                              {ScenarioVerb::kResume, "resume"}}};
constexpr std::size_t kVerbKeys = 6;  // that are keys of their own; the others are words under `verb`

/// By the key that the action has.
ScenarioVerb read_verb(Fields& item) {
  for (std::size_t i = 0; i < kVerbKeys; ++i) {
    if (item.has(kActionVerbs[i].name)) return kActionVerbs[i].kind;
  }
  const auto words = ChoiceTable<ScenarioVerb>(kActionVerbs).subspan(kVerbKeys);
  if (item.has("verb")) return item.choice("verb", words).value_or(ScenarioVerb::kReset);
  item.error("", "wants one of fault, override, push, set, clear, note or verb (reset, pause, resume)");
  return ScenarioVerb::kReset;
}

std::string verb_word(const ScenarioAction& action, const WriteScope& /*scope*/) {
  for (const KindName<ScenarioVerb>& choice : ChoiceTable<ScenarioVerb>(kActionVerbs).subspan(kVerbKeys)) {
    if (choice.kind == action.verb) return std::string(choice.name);
  }
  return {};
}

/// A field of actions with one of these verbs.
template <class... Verbs>
RigField<ScenarioAction> of(RigField<ScenarioAction> field, Verbs... verbs) {
  return only_if([=](const ScenarioAction& action) { return ((action.verb == verbs) || ...); }, std::move(field));
}

ScenarioAction read_action(Fields& item, const RigScope& scope) {
  ScenarioAction action;
  action.verb = read_verb(item);
  read_fields(action_fields(), item, scope, action);
  item.finish();
  return action;
}

}  // namespace

const RigFields<ScenarioAction>& action_fields() {
  using S = ScenarioAction;
  using Verb = ScenarioVerb;
  const OneOf signal{"signal", &RigNameLists::signals};
  static const RigFields<S> kFields = {
      of(field("fault", signal, kRequired, "injects a fault into a signal; with `kind`, `value`, `for`", &S::target),
         Verb::kFault),
      of(field("override", signal, kRequired, "a value instead of the signal's own; with `value`, `for`", &S::target),
         Verb::kOverride),
      of(field("push", OneOf{"body", &RigNameLists::bodies}, kRequired,
               "a body that a force acts on; with `force`, `at`, `for`", &S::target),
         Verb::kForce),
      of(field("kind",
               Special<SignalFault>{
                   read_fault_kind,
                   [](const SignalFault& fault, const WriteScope&) { return std::string(name_of(fault)); },
                   words_schema({"off", "stuck", "bias", "drift", "noise", "wrong_sign", "delay", "drop"})},
               derived("required with `fault`"),
               "`off`, `stuck`, `bias`, `drift`, `noise`, `wrong_sign`, `delay`, `drop`", &S::fault),
         Verb::kFault),
      of(shared_field<S>("value", quantity_schema(""), derived("0; required with `override`"), "of fault or override",
                         read_action_value, [](const S& action, const WriteScope&) { return number(action.value); }),
         Verb::kFault, Verb::kOverride),
      of(field("force", Point{Dimension::force()}, kRequired, "in world axes", &S::force), Verb::kForce),
      of(field("at", Point{Dimension::length()}, "[0, 0, 0]", "a point of the body", &S::point), Verb::kForce),
      of(field("for",
               Special<double>{read_action_duration,
                               [](const double& duration_s, const WriteScope&) { return number(duration_s, "s"); },
                               quantity_schema("")},
               derived("until it is cleared; a push one step"), "how long", &S::duration_s),
         Verb::kFault, Verb::kOverride, Verb::kForce),
      of(read_by(read_new_parameters,
                 settings_field("set", R"("type": "object", "minProperties": 1)",
                                "parameters of the model and what they are to be", &S::parameters)),
         Verb::kParameters),
      of(field("clear",
               Special<std::string>{read_cleared,
                                    [](const std::string& target, const WriteScope&) {
                                      return target.empty() ? std::string("all") : in_double_quotes(target);
                                    },
                                    Text{}.schema()},
               kRequired, "a signal: ends its fault and override; `all`: of all signals, and forces", &S::target),
         Verb::kClear),
      of(field("note", Text{}, kRequired, "a text into events and record", &S::target), Verb::kNote),
      shared_field<S>("verb", words_schema({"reset", "pause", "resume"}), derived(""), "`reset`, `pause` or `resume`",
                      nullptr, verb_word),
  };
  return kFields;
}

const RigFields<ScenarioSpec>& scenario_fields() {
  using S = ScenarioSpec;
  static const RigFields<S> kFields = [] {
    RigFields<S> fields = {
        field("name", Text{}, kRequired, "on the button", &S::name),
        field("notes", Text{}, derived("none"), "beside it", &S::notes),
        list<S>("do", "action", kMaxActions, action_fields(), "what happens, one after the other",
                [](const S& scenario) { return scenario.actions; }),
    };
    fields.back().fallback = kRequired;
    fields.back().write = [actions = fields.back().write](const S& scenario, const WriteScope& scope, Lines& lines) {
      if (scenario.actions.empty()) lines.add("do", "[]");
      actions(scenario, scope, lines);
    };
    return fields;
  }();
  return kFields;
}

void read_scenarios(Fields& panel, const RigScope& scope, PanelSpec& out) {
  for (Fields& item : read_list(panel, "scenarios", kMaxScenarios)) {
    ScenarioSpec scenario;
    read_fields(scenario_fields(), item, scope, scenario);
    if (!item.has("do")) item.error("", "missing key 'do': what the button does");
    for (Fields& action : read_list(item, "do", kMaxActions)) scenario.actions.push_back(read_action(action, scope));
    item.finish();
    out.scenarios.push_back(scenario);
  }
}

}  // namespace kinloop

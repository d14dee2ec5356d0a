// Prints the tables of keys as JSON schema and as Markdown.
#include "tests/services/rig/rig_reference.hpp"

#include <cctype>
#include <map>
#include <vector>

#include "core/actuators/actuator_type.hpp"
#include "services/base/former_keys.hpp"
#include "services/rig/actuator_syntax.hpp"
#include "services/rig/rig_tables.hpp"
#include "tests/support/pattern.hpp"

namespace kinloop::test {
namespace {

/// A mapping of the file.
struct Section {
  std::string name;  // of its definition in the schema; empty: the file itself
  std::string description;
  std::vector<FieldText> fields;
  std::string rules = {};  // of the schema, beyond single keys
};

template <class Spec>
std::vector<FieldText> texts_of(const RigFields<Spec>& fields) {
  return {fields.begin(), fields.end()};
}

constexpr const char* kRootRules = R"("oneOf": [{"required": ["step"]}, {"required": ["rate"]}],
  "allOf": [
    {
      "if": {
        "properties": {
          "overrun": {
            "anyOf": [
              {"const": "degrade"},
              {"type": "object", "properties": {"policy": {"const": "degrade"}}, "required": ["policy"]}
            ]
          }
        },
        "required": ["overrun"]
      },
      "then": {"required": ["degraded_solvers"], "properties": {"degraded_solvers": {"minItems": 1}}}
    },
    {
      "if": {"properties": {"mode": {"const": "free"}}, "required": ["mode"]},
      "then": {"properties": {"adapters": {"items": {"properties": {"kind": {"not": {"const": "playback"}}}}}}}
    }
  ])";

/// A kind that has a mapping of its name needs it, and no other kind may have it.
std::string actuator_rules() {
  std::string rules;
  for (const ActuatorSyntax& syntax : actuator_syntaxes()) {
    if (syntax.mapping == nullptr) continue;
    const std::string name(name_of(syntax.kind));
    rules += rules.empty() ? "" : ",\n";
    rules += "        {\n          \"if\": {\"properties\": {\"kind\": {\"const\": \"" + name +
             "\"}}, \"required\": [\"kind\"]},\n          \"then\": {\"required\": [\"" + name +
             "\"]},\n          \"else\": {\"not\": {\"required\": [\"" + name + "\"]}}\n        }";
  }
  return "\"allOf\": [\n" + rules + "\n      ]";
}

constexpr const char* kCommandRules = R"("allOf": [
        {
          "if": {"properties": {"when_stale": {"const": "ramp"}}, "required": ["when_stale"]},
          "then": {"required": ["ramp"]},
          "else": {"not": {"required": ["ramp"]}}
        },
        {
          "if": {"properties": {"when_stale": {"enum": ["zero", "ramp", "freeze"]}}, "required": ["when_stale"]},
          "then": {"required": ["max_age"], "not": {"properties": {"max_age": {"const": "none"}}, "required": ["max_age"]}}
        }
      ])";

constexpr const char* kUdpRules = R"json("allOf": [
        {
          "if": {"properties": {"reply": {"const": true}}, "required": ["reply"]},
          "then": {"not": {"anyOf": [{"required": ["peer"]}, {"required": ["peer_port"]}]}},
          "else": {"required": ["peer", "peer_port"]}
        },
        {
          "if": {"not": {"properties": {"listen": {"pattern": "^(127\\.|::1$|[^0-9:])"
}
}
}
}
, "then" : { "properties" : {"insecure" : {"const" : true}}, "required" : ["insecure"] }
}
      ])json";

constexpr const char* kStopInputRules = R"("if": {"properties": {"kind": {"const": "gpio"}}, "required": ["kind"]},
      "then": {"required": ["line"], "not": {"required": ["key"]}},
      "else": {"required": ["key"], "not": {"anyOf": [{"required": ["line"]}, {"required": ["active"]}, {"required": ["bias"]}]}})";

constexpr const char* kActionRules = R"("oneOf": [
        {"required": ["fault", "kind"]},
        {"required": ["override", "value"]},
        {"required": ["push", "force"]},
        {"required": ["set"]},
        {"required": ["clear"]},
        {"required": ["note"]},
        {"required": ["verb"]}
      ])";

const std::vector<Section>& sections() {
  static const std::vector<Section> kSections = {
      {"",
       "A model on a rig, format version 1: docs/rig-format.md. A number is in SI units, or a text with a unit "
       "('20 ms').",
       texts_of(rig_fields()), kRootRules},
      {"solver", "How much work a step is given", texts_of(solver_fields())},
      {"overrun", "What happens after a step that ended too late", texts_of(overrun_fields())},
      {"watchdog", "What watches the plant from outside", texts_of(watchdog_fields())},
      {"frames", "Which frames leave, and when", texts_of(frames_fields())},
      {"pump", "Feeds cylinders", texts_of(pump_fields())},
      {"actuator", "What moves one coordinate of the model at a controller's command", texts_of(actuator_fields()),
       actuator_rules()},
      {"dc_motor", "A DC motor behind a gear", texts_of(dc_motor_fields())},
      {"cylinder", "A hydraulic cylinder with its valve", texts_of(cylinder_fields())},
      {"command", "What happens to commands that grow old", texts_of(command_fields()), kCommandRules},
      {"sensor", "What a controller sees of one signal; numbers are in the signal's unit", texts_of(sensor_fields())},
      {"udp", "Frames of a fixed layout over UDP; the header for a controller in C: kinloop udp-header",
       texts_of(udp_fields()), kUdpRules},
      {"playback", "A stimulus from a file in the place of a controller; not in mode free",
       texts_of(playback_fields())},
      {"stop_input", "A button or a safety chain at the host itself that stops the plant",
       texts_of(stop_input_fields()), kStopInputRules},
      {"panel", "What the page shows: controls, cameras, plots, the instructor's buttons", texts_of(panel_fields())},
      {"drive_axis", "How a person moves an actuator", texts_of(axis_fields())},
      {"camera", "A place to look from", texts_of(camera_fields())},
      {"scenario", "A button for the instructor", texts_of(scenario_fields())},
      {"action", "One of fault, override, push, set, clear, note, verb", texts_of(action_fields()), kActionRules},
  };
  return kSections;
}

std::string in_json(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += (c == '"' || c == '\\' ? std::string("\\") : std::string()) + c;
  return quoted + "\"";
}

/// Without links and backticks, with a capital letter.
std::string plain(std::string_view markdown) {
  std::string text = replaced(std::string(markdown), R"(\[([^]]*)\]\([^)]*\))", "$1");
  text = replaced(text, "(, (see )?below$)|`", "");
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string description_of(const FieldText& field) {
  std::string text = plain(field.meaning);
  if (field.fallback.text.empty() || field.is_required()) return text;
  const bool is_value = field.fallback.kind == Default::Kind::kValue;
  text += "; default" + std::string(is_value ? " " : ": ");
  return text + replaced(std::string(field.fallback.text), "`", "");
}

std::string properties_of(const Section& section, const std::string& indent) {
  std::string lines;
  for (const FieldText& field : section.fields) {
    lines += (lines.empty() ? "" : ",\n") + indent + "  " + in_json(std::string(field.name)) +
             ": {\"description\": " + in_json(description_of(field)) + ", " + field.schema + "}";
  }
  return indent + "\"properties\": {\n" + lines + "\n" + indent + "}";
}

/// The members of a section's object.
std::string members_of(const Section& section, const std::string& indent) {
  std::string required;
  for (const FieldText& field : section.fields) {
    if (!field.is_required() || section.name == "action") continue;  // what an action needs depends on its verb
    required += (required.empty() ? "" : ", ") + in_json(std::string(field.name));
  }
  std::string text = indent + "\"description\": " + in_json(section.description) + ",\n" + indent +
                     "\"type\": \"object\",\n" + indent + "\"additionalProperties\": false,\n";
  if (!required.empty()) text += indent + "\"required\": [" + required + "],\n";
  text += properties_of(section, indent);
  if (!section.rules.empty()) text += ",\n" + indent + section.rules;
  return text;
}

std::string shown_default(const FieldText& field) {
  const std::string text(field.fallback.text);
  const bool is_word = field.fallback.kind == Default::Kind::kValue &&
                       (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '[');
  return is_word ? "`" + text + "`" : text;
}

std::string table_of(const Section& section) {
  const std::string title = section.name.empty() ? "key" : "key of `" + section.name + "`";
  std::string text = "| " + title + " | meaning | default |\n|---|---|---|\n";
  for (const FieldText& field : section.fields) {
    const std::string former(former_name(field.name));
    text += "| `" + std::string(field.name) + "` | " + std::string(field.meaning) +
            (former.empty() ? "" : "; formerly `" + former + "`") + " | " + shown_default(field) + " |\n";
  }
  return text;
}

}  // namespace

std::string rig_schema() {
  std::string text = "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Kinloop rig\",\n";
  text += members_of(sections().front(), "  ");
  text += R"(,
  "definitions": {
    "expression": {
      "description": "A number with a unit, an expression of such, or a word: '30 deg', '1 kHz / 3', 'none'",
      "type": "string",
      "minLength": 1
    },
    "quantity": {
      "description": "A number in SI units, a number with a unit or an expression",
      "anyOf": [{"type": "number"}, {"$ref": "#/definitions/expression"}]
    },
    "adapter": {
      "description": "A wire that is not ZeroMQ",
      "type": "object",
      "required": ["kind"],
      "properties": {"kind": {"description": "Which wire", "enum": ["udp", "playback"]}},
      "if": {"properties": {"kind": {"const": "playback"}}},
      "then": {"$ref": "#/definitions/playback"},
      "else": {"$ref": "#/definitions/udp"}
    })";
  for (const Section& section : sections()) {
    if (section.name.empty()) continue;
    text += ",\n    " + in_json(section.name) + ": {\n" + members_of(section, "      ") + "\n    }";
  }
  return text + "\n  }\n}\n";
}

std::string with_key_tables(const std::string& page) {
  std::string text = page;
  for (const Section& section : sections()) {
    const std::string begin = "<!-- keys of " + (section.name.empty() ? "the file" : section.name) + " -->\n";
    const std::size_t at = text.find(begin);
    const std::size_t end = at == std::string::npos ? at : text.find("<!-- end -->", at);
    if (end == std::string::npos) return "docs/rig-format.md has no table between '" + begin + "' and '<!-- end -->'";
    text.replace(at + begin.size(), end - at - begin.size(), "\n" + table_of(section) + "\n");
  }
  return text;
}

}  // namespace kinloop::test

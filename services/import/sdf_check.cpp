// Implements the check of an SDF file: one model, its links and joints, and every number in it.
#include "services/import/sdf_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "services/base/trimmed.hpp"
#include "services/import/number_text.hpp"

namespace kinloop {
namespace {

constexpr std::array<std::string_view, 9> kSdfJointTypes{"revolute",  "continuous", "prismatic", "ball",   "universal",
                                                         "revolute2", "screw",      "fixed",     "gearbox"};

/// What may stand in a model and is read, or has no part in its motion.
constexpr std::array<std::string_view, 10> kReadElements{
    "link",       "joint", "frame", "pose", "static", "model", "include", "self_collide", "allow_auto_disable",
    "enable_wind"};

struct NumberElement {
  std::string_view name;
  std::size_t count;
};

/// The elements that matter to the motion and hold numbers; libsdformat reads "1,5" as 1.
constexpr std::array<NumberElement, 20> kNumberElements{{{"gearbox_ratio", 1},
                                                         {"mass", 1},
                                                         {"ixx", 1},
                                                         {"ixy", 1},
                                                         {"ixz", 1},
                                                         {"iyy", 1},
                                                         {"iyz", 1},
                                                         {"izz", 1},
                                                         {"pose", 6},
                                                         {"xyz", 3},
                                                         {"lower", 1},
                                                         {"upper", 1},
                                                         {"damping", 1},
                                                         {"friction", 1},
                                                         {"spring_reference", 1},
                                                         {"spring_stiffness", 1},
                                                         {"thread_pitch", 1},
                                                         {"screw_thread_pitch", 1},
                                                         {"radius", 1},
                                                         {"length", 1}}};

bool is_true(const XmlElement* flag) { return flag != nullptr && (flag->text == "1" || flag->text == "true"); }

constexpr std::string_view kBlanks = " \t\r\n";

bool is_unlimited(std::string_view text) {
  return text == "inf" || text == "+inf" || text == "-inf" || text == "INF" || text == "-INF";
}

class SdfChecker {
 public:
  SdfChecker(const XmlElement& sdf, Diagnostics& diagnostics, Diagnostics& warnings)
      : sdf_(sdf), diagnostics_(diagnostics), warnings_(warnings) {}

  const XmlElement* run() {
    if (sdf_.name != "sdf") {
      const char* hint = sdf_.name == "robot" ? " (a URDF file)" : "";
      diagnostics_.add(sdf_.position, "", "is no SDF: its root is <" + sdf_.name + ">, not <sdf>" + hint);
      return nullptr;
    }
    if (sdf_.attribute("version") == nullptr) diagnostics_.add(sdf_.position, "", "<sdf> has no version");
    collect_models(sdf_);
    for (const XmlElement& child : sdf_.children) {
      if (child.name == "world") check_world(child);
    }
    if (models_.empty()) diagnostics_.add(sdf_.position, "", "has no model");
    for (std::size_t i = 1; i < models_.size(); ++i) {
      fail(models_[i]->position, *models_[i], "is a second model beside " + in_quotes(models_[0]->title()));
    }
    if (models_.size() != 1) return nullptr;
    check_model(*models_[0]);
    return models_[0];
  }

 private:
  void fail(SourcePosition position, const XmlElement& owner, std::string what) {
    diagnostics_.add(position, owner.name + " " + in_quotes(owner.title()), std::move(what));
  }

  void collect_models(const XmlElement& parent) {
    for (const XmlElement& child : parent.children) {
      if (child.name == "model") models_.push_back(&child);
      if (child.name == "include") refuse_include(child);
    }
  }

  void check_world(const XmlElement& world) {
    collect_models(world);
    if (const XmlElement* gravity = world.child("gravity")) check_number(world, *gravity, 3);
  }

  void refuse_include(const XmlElement& include) {
    const XmlElement* uri = include.child("uri");
    diagnostics_.add(include.position, "",
                     "<include> is not followed" +
                         (uri == nullptr ? "" : ": " + in_quotes(trimmed(uri->text, kBlanks))) +
                         "; put the model into this file");
  }

  void check_model(const XmlElement& model) {
    if (model.title().empty()) diagnostics_.add(model.position, "", "<model> has no name");
    if (is_true(model.child("static"))) fail(model.child("static")->position, model, "is static: nothing in it moves");
    if (const XmlAttribute* placement = model.attribute("placement_frame")) {
      fail(placement->position, model, "placement_frame is not supported");
    }
    check_numbers(model, model);
    std::set<std::string_view> frames{"world", "__model__"};
    bool has_link = false;
    for (const XmlElement& child : model.children) {
      if (child.name == "model") fail(child.position, child, "is a nested model, which is not supported");
      if (child.name == "include") refuse_include(child);
      if (child.name != "link" && child.name != "joint" && child.name != "frame") continue;
      has_link |= child.name == "link";
      if (check_name(child)) frames.insert(child.title());
    }
    if (!has_link) fail(model.position, model, "has no links");
    warn_of_ignored(model);
    for (const XmlElement& child : model.children) {
      if (child.name == "link" || child.name == "frame") check_numbers(child, child);
      if (child.name == "joint") check_joint(child, frames);
    }
  }

  /// Elements of other programs (plugins, Drake's constraints and bushings): each kind in one line, at its first.
  void warn_of_ignored(const XmlElement& model) {
    std::map<std::string_view, std::pair<const XmlElement*, int>> ignored;
    for (const XmlElement& child : model.children) {
      if (std::find(kReadElements.begin(), kReadElements.end(), child.name) != kReadElements.end()) continue;
      ++ignored.emplace(child.name, std::pair{&child, 0}).first->second.second;
    }
    for (const auto& [name, found] : ignored) {
      warnings_.add(found.first->position, "model " + in_quotes(model.title()),
                    "<" + std::string(name) + "> is ignored" +
                        (found.second == 1 ? "" : ": " + std::to_string(found.second) + " of them"));
    }
  }

  bool check_name(const XmlElement& element) {
    if (element.title().empty()) {
      diagnostics_.add(element.position, "", "<" + element.name + "> has no name");
      return false;
    }
    const auto [first, is_new] = taken_.emplace(element.title(), &element);
    if (!is_new) {
      fail(element.position, element,
           "the " + first->second->name + " in line " + std::to_string(first->second->position.line) +
               " has the same name");
    }
    return is_new;
  }

  void check_joint(const XmlElement& joint, const std::set<std::string_view>& frames) {
    check_numbers(joint, joint);
    for (const char* end : {"parent", "child"}) {
      const XmlElement* element = joint.child(end);
      if (element == nullptr) {
        fail(joint.position, joint, std::string("has no <") + end + ">");
      } else if (!frames.contains(trimmed(element->text, kBlanks))) {
        fail(element->position, joint,
             std::string(end) + ": no link is named " + in_quotes(trimmed(element->text, kBlanks)));
      } else if (end == std::string_view("child") && trimmed(element->text, kBlanks) == "world") {
        fail(element->position, joint, "the world cannot be the child");
      }
    }
    const XmlAttribute* type = joint.attribute("type");
    if (type == nullptr) {
      fail(joint.position, joint, "has no type");
      return;
    }
    if (std::find(kSdfJointTypes.begin(), kSdfJointTypes.end(), type->value) == kSdfJointTypes.end()) {
      fail(type->position, joint,
           "type " + in_quotes(type->value) + " is none of " + quoted_list(kSdfJointTypes) +
               did_you_mean(type->value, kSdfJointTypes));
      return;
    }
    const bool is_gearbox = type->value == "gearbox";
    if (is_gearbox) check_reference_body(joint, frames);
    const bool has_two = type->value == "universal" || type->value == "revolute2" || is_gearbox;
    if (type->value == "fixed" || type->value == "ball") return;
    check_axis(joint, "axis");
    if (has_two) check_axis(joint, "axis2");
  }

  void check_reference_body(const XmlElement& joint, const std::set<std::string_view>& frames) {
    const XmlElement* reference = joint.child("gearbox_reference_body");
    if (reference == nullptr) {
      fail(joint.position, joint, "has no <gearbox_reference_body>");
    } else if (!frames.contains(trimmed(reference->text, kBlanks))) {
      fail(reference->position, joint,
           "gearbox_reference_body: no link is named " + in_quotes(trimmed(reference->text, kBlanks)));
    }
  }

  void check_axis(const XmlElement& joint, const char* name) {
    const XmlElement* axis = joint.child(name);
    if (axis == nullptr) {
      fail(joint.position, joint, std::string("has no <") + name + ">");
      return;
    }
    if (const XmlElement* mimic = axis->child("mimic")) fail(mimic->position, joint, "<mimic> is not supported");
    if (const XmlElement* xyz = axis->child("xyz")) {
      const auto values = to_numbers(xyz->text);
      if (values && std::all_of(values->begin(), values->end(), [](double v) { return v == 0.0; })) {
        fail(xyz->position, joint, "<" + axis->name + "> is zero");
      }
    }
    const XmlElement* limit = axis->child("limit");
    const XmlElement* lower = limit == nullptr ? nullptr : limit->child("lower");
    const XmlElement* upper = limit == nullptr ? nullptr : limit->child("upper");
    if (lower == nullptr || upper == nullptr) return;
    const auto from = to_number(trimmed(lower->text, kBlanks));
    const auto to = to_number(trimmed(upper->text, kBlanks));
    if (from && to && *from > *to) fail(limit->position, joint, "the lower limit is above the upper one");
  }

  void check_number(const XmlElement& owner, const XmlElement& element, std::size_t count) {
    if (count == 1 && is_unlimited(trimmed(element.text, kBlanks)) &&
        (element.name == "lower" || element.name == "upper"))
      return;
    const auto values = to_numbers(element.text);
    // A pose may also be given in other units and forms; libsdformat judges those.
    const bool free_form = element.name == "pose" && !element.attributes.empty();
    if (values && (values->size() == count || free_form || values->empty())) return;
    fail(element.position, owner,
         "<" + element.name + "> " + in_quotes(trimmed(element.text, kBlanks)) + " is no " +
             (count == 1 ? "number" : "list of " + std::to_string(count) + " numbers"));
  }

  /// Recursion is bounded by kMaxXmlDepth. Links, joints and frames are owners of their own.
  void check_numbers(const XmlElement& owner, const XmlElement& element) {
    for (const XmlElement& child : element.children) {
      const bool is_owner =
          child.name == "link" || child.name == "joint" || child.name == "frame" || child.name == "model";
      if (is_owner || child.name == "plugin" || child.name == "sensor" || child.name == "surface") continue;
      for (const NumberElement& number : kNumberElements) {
        if (child.name != number.name || !child.children.empty()) continue;
        check_number(owner, child, number.count);
      }
      check_numbers(owner, child);
    }
  }

  const XmlElement& sdf_;
  Diagnostics& diagnostics_;
  Diagnostics& warnings_;
  std::vector<const XmlElement*> models_;
  std::map<std::string_view, const XmlElement*> taken_;
};

}  // namespace

const XmlElement* check_sdf(const XmlElement& sdf, Diagnostics& diagnostics, Diagnostics& warnings) {
  return SdfChecker(sdf, diagnostics, warnings).run();
}

}  // namespace kinloop

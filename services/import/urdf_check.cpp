// Implements the check of a URDF file: first each link and joint by itself, then the tree they form.
#include "services/import/urdf_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/model/model_spec.hpp"
#include "services/import/number_text.hpp"

namespace kinloop {
namespace {

constexpr std::array<std::string_view, 6> kUrdfJointTypes{"revolute", "continuous", "prismatic",
                                                          "fixed",    "floating",   "planar"};

enum class Need { kRequired, kOptional };

class UrdfChecker {
 public:
  UrdfChecker(const XmlElement& robot, Diagnostics& diagnostics, Diagnostics& warnings)
      : robot_(robot), diagnostics_(diagnostics), warnings_(warnings) {}

  void run() {
    if (robot_.name != "robot") {
      const char* hint = robot_.name == "sdf" ? " (an SDF file)" : "";
      diagnostics_.add(robot_.position, "", "is no URDF: its root is <" + robot_.name + ">, not <robot>" + hint);
      return;
    }
    if (robot_.title().empty()) warnings_.add(robot_.position, "", "<robot> has no name: named after the file");
    for (const XmlElement& element : robot_.children) {
      if (element.name == "link") check_link(element);
    }
    for (const XmlElement& element : robot_.children) {
      if (element.name == "joint") check_joint(element);
    }
    for (const XmlElement* joint : joints_) check_mimic(*joint);
    check_tree();
    count_ignored();
  }

 private:
  void fail(SourcePosition position, const XmlElement& owner, std::string what) {
    diagnostics_.add(position, owner.name + " " + in_quotes(owner.title()), std::move(what));
  }

  /// True if the element has a name that no other has.
  bool has_own_name(const XmlElement& element, std::map<std::string_view, const XmlElement*>& taken) {
    if (element.title().empty()) {
      diagnostics_.add(element.position, "", "<" + element.name + "> has no name");
      return false;
    }
    const auto [first, is_new] = taken.emplace(element.title(), &element);
    if (!is_new) {
      fail(element.position, element,
           "the " + element.name + " in line " + std::to_string(first->second->position.line) + " has the same name");
    }
    return is_new;
  }

  /// Checks that an attribute holds `count` numbers.
  void numbers(const XmlElement& owner, const XmlElement& element, const char* name, std::size_t count, Need need) {
    const XmlAttribute* attribute = element.attribute(name);
    if (attribute == nullptr) {
      if (need == Need::kRequired) {
        fail(element.position, owner, "<" + element.name + "> has no attribute '" + name + "'");
      }
      return;
    }
    const auto wrong = [&](const char* what) {
      fail(attribute->position, owner,
           "<" + element.name + "> " + name + "=" + in_quotes(attribute->value) + " is no " + what);
    };
    if (count == 1) {
      if (!to_number(attribute->value)) wrong("number");
      return;
    }
    const auto values = to_numbers(attribute->value);
    if (!values || values->size() != count) wrong("list of three numbers");
  }

  void check_origin(const XmlElement& owner, const XmlElement& element) {
    const XmlElement* origin = element.child("origin");
    if (origin == nullptr) return;
    numbers(owner, *origin, "xyz", 3, Need::kOptional);
    numbers(owner, *origin, "rpy", 3, Need::kOptional);
  }

  const XmlElement* required_child(const XmlElement& owner, const XmlElement& element, const char* name) {
    const XmlElement* child = element.child(name);
    if (child == nullptr) fail(element.position, owner, "<" + element.name + "> has no <" + name + ">");
    return child;
  }

  void check_link(const XmlElement& link) {
    if (!has_own_name(link, links_)) return;
    const XmlElement* inertial = nullptr;
    for (const XmlElement& child : link.children) {
      if (child.name == "visual" || child.name == "collision") check_shape(link, child);
      if (child.name != "inertial") continue;
      if (inertial != nullptr) fail(child.position, link, "has a second <inertial>");
      inertial = &child;
    }
    if (inertial == nullptr) return;
    check_origin(link, *inertial);
    if (const XmlElement* mass = required_child(link, *inertial, "mass"))
      numbers(link, *mass, "value", 1, Need::kRequired);
    const XmlElement* inertia = required_child(link, *inertial, "inertia");
    if (inertia == nullptr) return;
    for (const char* entry : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"})
      numbers(link, *inertia, entry, 1, Need::kRequired);
  }

  void check_shape(const XmlElement& link, const XmlElement& element) {
    check_origin(link, element);
    const XmlElement* geometry = required_child(link, element, "geometry");
    if (geometry == nullptr) return;
    for (const XmlElement& shape : geometry->children) {
      if (shape.name == "box") numbers(link, shape, "size", 3, Need::kRequired);
      if (shape.name == "cylinder" || shape.name == "sphere") numbers(link, shape, "radius", 1, Need::kRequired);
      if (shape.name == "cylinder") numbers(link, shape, "length", 1, Need::kRequired);
    }
  }

  void check_joint(const XmlElement& joint) {
    if (!has_own_name(joint, joint_names_)) return;
    joints_.push_back(&joint);
    const XmlAttribute* type = joint.attribute("type");
    if (type == nullptr) {
      fail(joint.position, joint, "has no type");
    } else if (std::find(kUrdfJointTypes.begin(), kUrdfJointTypes.end(), type->value) == kUrdfJointTypes.end()) {
      fail(type->position, joint,
           "type " + in_quotes(type->value) + " is none of " + quoted_list(kUrdfJointTypes) +
               did_you_mean(type->value, kUrdfJointTypes));
    }
    const XmlElement* parent = check_end(joint, "parent");
    const XmlElement* child = check_end(joint, "child");
    if (parent != nullptr && parent == child)
      fail(joint.position, joint, "joins link " + in_quotes(child->title()) + " with itself");
    if (parent != nullptr && child != nullptr) connect(joint, parent, child);
    check_origin(joint, joint);
    check_motion(joint, type == nullptr ? std::string_view{} : std::string_view(type->value));
  }

  /// The link that <parent> or <child> names, or nullptr.
  const XmlElement* check_end(const XmlElement& joint, const char* end) {
    const XmlElement* element = required_child(joint, joint, end);
    if (element == nullptr) return nullptr;
    const XmlAttribute* name = element->attribute("link");
    if (name == nullptr) {
      fail(element->position, joint, std::string("<") + end + "> has no attribute 'link'");
      return nullptr;
    }
    const auto link = links_.find(name->value);
    if (link != links_.end()) return link->second;
    fail(name->position, joint, std::string(end) + ": no link is named " + in_quotes(name->value));
    return nullptr;
  }

  void connect(const XmlElement& joint, const XmlElement* parent, const XmlElement* child) {
    const auto [first, is_new] = inboard_.emplace(child, &joint);
    if (is_new) {
      parents_[child] = parent;
      return;
    }
    fail(joint.position, joint,
         "link " + in_quotes(child->title()) + " is already the child of joint " + in_quotes(first->second->title()) +
             "; what closes a loop is a <loop>");
  }

  void check_motion(const XmlElement& joint, std::string_view type) {
    if (const XmlElement* axis = joint.child("axis")) {
      numbers(joint, *axis, "xyz", 3, Need::kRequired);
      const XmlAttribute* xyz = axis->attribute("xyz");
      const auto values = xyz == nullptr ? std::nullopt : to_numbers(xyz->value);
      const bool is_zero = values && std::all_of(values->begin(), values->end(), [](double v) { return v == 0.0; });
      if (is_zero && type != "fixed" && type != "floating") fail(xyz->position, joint, "<axis> is zero");
    }
    if (const XmlElement* limit = joint.child("limit")) {
      for (const char* name : {"lower", "upper"}) numbers(joint, *limit, name, 1, Need::kOptional);
      for (const char* name : {"effort", "velocity"}) numbers(joint, *limit, name, 1, Need::kRequired);
    } else if (type == "revolute" || type == "prismatic") {
      fail(joint.position, joint, "a " + std::string(type) + " joint needs a <limit>");
    }
    if (const XmlElement* dynamics = joint.child("dynamics")) {
      for (const char* name : {"damping", "friction"}) numbers(joint, *dynamics, name, 1, Need::kOptional);
    }
  }

  void check_mimic(const XmlElement& joint) {
    const XmlElement* mimic = joint.child("mimic");
    if (mimic == nullptr) return;
    numbers(joint, *mimic, "multiplier", 1, Need::kOptional);
    numbers(joint, *mimic, "offset", 1, Need::kOptional);
    const XmlAttribute* of = mimic->attribute("joint");
    if (of == nullptr) {
      fail(mimic->position, joint, "<mimic> has no attribute 'joint'");
    } else if (!joint_names_.contains(of->value)) {
      warnings_.add(of->position, "joint " + in_quotes(joint.title()),
                    "moves by itself: it mimics " + in_quotes(of->value) + ", and no joint has that name" +
                        did_you_mean(of->value, names_of_joints()));
    } else if (of->value == joint.title()) {
      fail(of->position, joint, "mimics itself");
    }
  }

  std::vector<std::string_view> names_of_joints() const {
    std::vector<std::string_view> names;
    names.reserve(joint_names_.size());
    for (const auto& [name, joint] : joint_names_) names.push_back(name);
    return names;
  }

  /// Elements that are no part of the mechanism, such as <gazebo> and <transmission>: one line for all.
  void count_ignored() {
    std::map<std::string_view, int> counts;
    for (const XmlElement& element : robot_.children) {
      const bool is_read = element.name == "link" || element.name == "joint" || element.name == "loop";
      if (!is_read && element.name != "material") ++counts[element.name];
    }
    std::string list;
    for (const auto& [name, count] : counts) {
      list += (list.empty() ? "<" : ", <") + std::string(name) + "> " + std::to_string(count);
    }
    if (!list.empty()) warnings_.add({}, "", "elements ignored: " + list);
  }

  void check_tree() {
    if (!diagnostics_.empty()) return;  // what is wrong already would only appear a second time
    if (links_.empty()) {
      diagnostics_.add(robot_.position, "", "has no links");
      return;
    }
    std::vector<const XmlElement*> roots;
    for (const XmlElement& link : robot_.children) {
      if (link.name == "link" && !parents_.contains(&link)) roots.push_back(&link);
    }
    for (std::size_t i = 1; i < roots.size(); ++i) {
      fail(roots[i]->position, *roots[i],
           "is the child of no joint, as is link " + in_quotes(roots[0]->title()) + ": a URDF has one root");
    }
    for (const auto& [name, link] : links_) check_reaches_root(*link);
  }

  void check_reaches_root(const XmlElement& link) {
    std::set<const XmlElement*> passed;
    for (const XmlElement* at = &link; at != nullptr;) {
      if (cyclic_.contains(at) || safe_.contains(at)) break;
      if (!passed.insert(at).second) {
        fail(inboard_.at(at)->position, *inboard_.at(at),
             "is part of a cycle of joints; what closes a loop is a <loop>");
        cyclic_.insert(passed.begin(), passed.end());
        return;
      }
      const auto parent = parents_.find(at);
      at = parent == parents_.end() ? nullptr : parent->second;
    }
    safe_.insert(passed.begin(), passed.end());
  }

  const XmlElement& robot_;
  Diagnostics& diagnostics_;
  Diagnostics& warnings_;
  std::map<std::string_view, const XmlElement*> links_, joint_names_;
  std::vector<const XmlElement*> joints_;
  std::map<const XmlElement*, const XmlElement*> inboard_, parents_;  // by child link: its joint, its parent link
  std::set<const XmlElement*> safe_, cyclic_;                         // links seen to lead to the root, or not
};

}  // namespace

void check_urdf(const XmlElement& robot, Diagnostics& diagnostics, Diagnostics& warnings) {
  UrdfChecker(robot, diagnostics, warnings).run();
}

}  // namespace kinloop

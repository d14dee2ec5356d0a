// Reads each <loop> by itself; the graph says which links there are.
#include "services/import/urdf_loops.hpp"

#include <Eigen/Geometry>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/name_table.hpp"
#include "core/base/nearest_name.hpp"
#include "services/import/frame_about_axis.hpp"
#include "services/import/number_text.hpp"

namespace kinloop {
namespace {

constexpr std::array<KindName<JointType>, 7> kLoopTypes{{{JointType::kRevolute, "revolute"},
                                                         {JointType::kPrismatic, "prismatic"},
                                                         {JointType::kCylindrical, "cylindrical"},
                                                         {JointType::kUniversal, "universal"},
                                                         {JointType::kSpherical, "spherical"},
                                                         {JointType::kPlanar, "planar"},
                                                         {JointType::kFixed, "fixed"}}};

bool has_axis(JointType type) {
  return type != JointType::kUniversal && type != JointType::kSpherical && type != JointType::kFixed;
}

class LoopReader {
 public:
  LoopReader(const XmlElement& loop, const std::set<std::string_view>& links, Diagnostics& diagnostics)
      : loop_(loop), links_(links), diagnostics_(diagnostics) {}

  JointSpec read() {
    JointSpec joint;
    joint.name = loop_.title();
    if (joint.name.empty()) fail(loop_.position, "has no name");
    joint.type = type();
    read_end("predecessor", joint.predecessor, joint.frame_pred);
    read_end("successor", joint.successor, joint.frame_succ);
    if (has_axis(joint.type)) {
      const Matrix3 R = frame_about_axis(axis());
      joint.frame_pred.R = joint.frame_pred.R * R;
      joint.frame_succ.R = joint.frame_succ.R * R;
    }
    return joint;
  }

 private:
  void fail(SourcePosition position, std::string what) {
    diagnostics_.add(position, "loop " + in_quotes(loop_.title()), std::move(what));
  }

  JointType type() {
    const XmlAttribute* type = loop_.attribute("type");
    if (type == nullptr) {
      fail(loop_.position, "has no type");
      return JointType::kFixed;
    }
    std::vector<std::string_view> names;
    for (const KindName<JointType>& row : kLoopTypes) {
      if (row.name == type->value) return row.kind;
      names.push_back(row.name);
    }
    fail(type->position,
         "type " + in_quotes(type->value) + " is none of " + quoted_list(names) + did_you_mean(type->value, names));
    return JointType::kFixed;
  }

  void read_end(const char* end, std::string& link, Pose& frame) {
    const XmlElement* element = loop_.child(end);
    if (element == nullptr) return fail(loop_.position, std::string("has no <") + end + ">");
    const XmlAttribute* name = element->attribute("link");
    if (name == nullptr) return fail(element->position, std::string("<") + end + "> has no attribute 'link'");
    link = name->value;
    if (!links_.contains(name->value)) {
      const std::vector<std::string_view> known(links_.begin(), links_.end());
      fail(name->position,
           std::string(end) + ": no link is named " + in_quotes(name->value) + did_you_mean(name->value, known));
    }
    const XmlElement* origin = element->child("origin");
    if (origin == nullptr) return;
    frame.p = three(*origin, "xyz").value_or(Vector3::Zero());
    const Vector3 rpy = three(*origin, "rpy").value_or(Vector3::Zero());
    frame.R = (Eigen::AngleAxisd(rpy.z(), Vector3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vector3::UnitY()) *
               Eigen::AngleAxisd(rpy.x(), Vector3::UnitX()))
                  .toRotationMatrix();
  }

  /// Nothing where the attribute is absent or wrong.
  std::optional<Vector3> three(const XmlElement& element, const char* name) {
    const XmlAttribute* attribute = element.attribute(name);
    if (attribute == nullptr) return std::nullopt;
    const auto values = to_numbers(attribute->value);
    if (values && values->size() == 3) return Vector3((*values)[0], (*values)[1], (*values)[2]);
    fail(attribute->position,
         "<" + element.name + "> " + name + "=" + in_quotes(attribute->value) + " is no list of three numbers");
    return std::nullopt;
  }

  Vector3 axis() {
    const XmlElement* element = loop_.child("axis");
    if (element == nullptr) return Vector3::UnitX();  // as in a <joint>
    const Vector3 axis = three(*element, "xyz").value_or(Vector3::UnitX());
    if (axis.norm() > 0.0) return axis.normalized();
    fail(element->position, "<axis> is zero");
    return Vector3::UnitX();
  }

  const XmlElement& loop_;
  const std::set<std::string_view>& links_;
  Diagnostics& diagnostics_;
};

}  // namespace

void add_urdf_loops(const XmlElement& robot, MechanismGraph& graph, Diagnostics& diagnostics) {
  std::set<std::string_view> links{kGround};
  for (const GraphLink& link : graph.links) links.insert(link.body.name);
  if (graph.root == kGround) links.insert("world");
  for (const XmlElement& element : robot.children) {
    if (element.name != "loop") continue;
    JointSpec joint = LoopReader(element, links, diagnostics).read();
    for (std::string* link : {&joint.predecessor, &joint.successor}) {
      if (*link == "world" && graph.root == kGround) *link = kGround;
    }
    graph.closings.push_back(std::move(joint));
  }
}

}  // namespace kinloop

// Reads the lists in pairs: loops with their types, joints with theirs.
#include "services/files/closed_loops_file.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/name_table.hpp"
#include "core/base/nearest_name.hpp"
#include "services/base/diagnostics.hpp"
#include "services/files/yaml_document.hpp"

namespace kinloop {
namespace {

constexpr std::array<KindName<JointType>, 2> kClosings{{{JointType::kFixed, "6d"}, {JointType::kSpherical, "3d"}}};
/// The last two letters of a universal joint are its axes, from the predecessor's side.
constexpr std::array<KindName<JointType>, 9> kRetypings{{{JointType::kSpherical, "SPHERICAL"},
                                                         {JointType::kUniversal, "CARDAN"},
                                                         {JointType::kFixed, "FIXED"},
                                                         {JointType::kUniversal, "UJOINT_XY"},
                                                         {JointType::kUniversal, "UJOINT_XZ"},
                                                         {JointType::kUniversal, "UJOINT_YX"},
                                                         {JointType::kUniversal, "UJOINT_YZ"},
                                                         {JointType::kUniversal, "UJOINT_ZX"},
                                                         {JointType::kUniversal, "UJOINT_ZY"}}};

/// Our universal joint turns about its x, then about its y.
Matrix3 axes_of(const std::string& lower_type) {
  if (!lower_type.starts_with("ujoint_")) return Matrix3::Identity();
  Matrix3 axes = Matrix3::Zero();
  axes(lower_type[lower_type.size() - 2] - 'x', 0) = 1.0;
  axes(lower_type[lower_type.size() - 1] - 'x', 1) = 1.0;
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

class ClosedLoopsReader {
 public:
  explicit ClosedLoopsReader(const YamlDocument& document)
      : document_(document), diagnostics_(document.file_name), warnings_(document.file_name) {}

  Result<ClosedLoops, std::vector<Error>> read() {
    ClosedLoops out;
    out.file_name = document_.file_name;
    if (!document_.root.is_mapping()) {
      diagnostics_.add(document_.root.position, "", "expected a mapping with a list 'closed_loop'");
      return diagnostics_.errors();
    }
    read_loops(out);
    read_joints(out);
    name_ignored();
    if (!diagnostics_.empty()) return diagnostics_.errors();
    out.warnings = warnings_.errors();
    return out;
  }

 private:
  void read_loops(ClosedLoops& out) {
    const YamlNode* loops = list("closed_loop");
    if (loops == nullptr) {
      if (document_.root.find("closed_loop") == nullptr) {
        diagnostics_.add(document_.root.position, "", "missing key 'closed_loop'");
      }
      return;
    }
    const YamlNode* types = list("type");
    if (types != nullptr && !alike(*loops, "closed_loop", *types, "type")) return;
    for (std::size_t i = 0; i < loops->items.size(); ++i) {
      const YamlNode& pair = loops->items[i];
      const std::string path = "closed_loop[" + std::to_string(i) + "]";
      const bool is_pair =
          pair.is_sequence() && pair.items.size() == 2 && pair.items[0].is_scalar() && pair.items[1].is_scalar();
      if (!is_pair) {
        diagnostics_.add(pair.position, path, "expected the names of two frames");
        continue;
      }
      const auto type = types == nullptr ? JointType::kFixed : word(types->items[i], "type", i, kClosings);
      if (type) out.loops.push_back({pair.items[0].text, pair.items[1].text, *type, pair.position});
    }
  }

  void read_joints(ClosedLoops& out) {
    const YamlNode* names = list("joint_name");
    const YamlNode* types = list("joint_type");
    if (names == nullptr && types == nullptr) return;
    if (names == nullptr || types == nullptr) {
      diagnostics_.add(document_.root.position, "", "joint_name and joint_type come together");
      return;
    }
    if (!alike(*names, "joint_name", *types, "joint_type")) return;
    for (std::size_t i = 0; i < names->items.size(); ++i) {
      const YamlNode& name = names->items[i];
      if (!name.is_scalar()) {
        diagnostics_.add(name.position, "joint_name[" + std::to_string(i) + "]", "expected the name of a joint");
        continue;
      }
      const auto type = word(types->items[i], "joint_type", i, kRetypings);
      if (type) out.joints.push_back({name.text, *type, axes_of(lower(types->items[i].text)), name.position});
    }
  }

  /// Nothing where the key is absent, or its value is no list, which is reported.
  const YamlNode* list(std::string_view key) {
    const YamlEntry* entry = document_.root.find(key);
    if (entry == nullptr) return nullptr;
    if (entry->value.is_sequence()) return &entry->value;
    diagnostics_.add(entry->value.position, std::string(key),
                     "expected a list, not " + std::string(kind_name(entry->value)));
    return nullptr;
  }

  bool alike(const YamlNode& a, const char* name_a, const YamlNode& b, const char* name_b) {
    if (a.items.size() == b.items.size()) return true;
    diagnostics_.add(
        b.position, name_b,
        "has " + std::to_string(b.items.size()) + " entries, " + name_a + " has " + std::to_string(a.items.size()));
    return false;
  }

  template <std::size_t N>
  std::optional<JointType> word(const YamlNode& node, const char* key, std::size_t index,
                                const std::array<KindName<JointType>, N>& table) {
    std::vector<std::string_view> names;
    for (const KindName<JointType>& row : table) {
      if (node.is_scalar() && lower(node.text) == lower(std::string(row.name))) return row.kind;
      names.push_back(row.name);
    }
    const std::string said = node.is_scalar() ? in_quotes(node.text) : std::string(kind_name(node));
    diagnostics_.add(node.position, std::string(key) + "[" + std::to_string(index) + "]",
                     said + " is none of " + quoted_list(names));
    return std::nullopt;
  }

  /// Which joints have motors is said by a rig.
  void name_ignored() {
    for (const YamlEntry& entry : document_.root.entries) {
      bool is_read = false;
      for (const char* key : {"closed_loop", "type", "joint_name", "joint_type"}) is_read |= entry.key == key;
      if (!is_read) warnings_.add(entry.key_position, entry.key, "is ignored");
    }
  }

  const YamlDocument& document_;
  Diagnostics diagnostics_, warnings_;
};

}  // namespace

Result<ClosedLoops, std::vector<Error>> read_closed_loops(const std::filesystem::path& path) {
  const auto document = read_yaml_file(path);
  if (!document) return document.error();
  return ClosedLoopsReader(*document).read();
}

}  // namespace kinloop

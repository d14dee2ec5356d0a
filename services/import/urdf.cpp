// Implements the import of URDF: read, check, parse, translate, assemble.
#include "services/import/urdf.hpp"

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "services/base/diagnostics.hpp"
#include "services/base/text_file.hpp"
#include "services/import/assemble.hpp"
#include "services/import/urdf_check.hpp"
#include "services/import/urdf_graph.hpp"
#include "services/import/urdf_loops.hpp"
#include "services/import/urdf_parse.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {
namespace {

RootJoint root_joint(BaseKind base, const MechanismGraph& graph, Diagnostics& warnings) {
  if (graph.root == kGround) return RootJoint::kFixed;
  if (base == BaseKind::kFixed) return RootJoint::kFixed;
  if (base == BaseKind::kFloating) return RootJoint::kFree;
  const BaseChoice choice = choose_base(graph);
  warnings.add({}, "link " + in_quotes(graph.root), choice.reason);
  return choice.joint;
}

/// The text with a name for its root, which urdfdom wants: that of the file, of which letters and digits are sure to
/// mean nothing in XML.
std::string named(std::string text, const XmlElement& robot, const std::string& file_name) {
  std::string name;
  for (const char c : std::filesystem::path(file_name).stem().string()) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  std::size_t line = 0;  // not before it: a comment may speak of the root too
  for (int i = 1; i < robot.position.line && line != std::string::npos; ++i) line = text.find('\n', line) + 1;
  constexpr std::string_view kRoot = "<robot";
  const std::size_t root = text.find(kRoot, line);
  return root == std::string::npos ? text : text.insert(root + kRoot.size(), " name=\"" + name + "\"");
}

}  // namespace

ImportResult import_urdf(const std::filesystem::path& path, const ImportOptions& options) {
  const Result<std::string> text = read_text_file(path, kMaxImportBytes);
  if (!text) return std::vector<Error>{text.error()};
  return import_urdf_text(*text, path.string(), options);
}

ImportResult import_urdf_text(const std::string& text, const std::string& file_name, const ImportOptions& options) {
  Diagnostics diagnostics(file_name);
  const std::optional<XmlElement> robot = read_xml(text, diagnostics);
  if (!robot) return diagnostics.errors();
  Diagnostics warnings(file_name);
  check_urdf(*robot, diagnostics, warnings);
  if (!diagnostics.empty()) return diagnostics.errors();
  const auto parsed = parse_urdf(file_name, robot->title().empty() ? named(text, *robot, file_name) : text);
  if (!parsed) return std::vector<Error>{parsed.error()};

  MechanismGraph graph = urdf_graph(*robot, **parsed, diagnostics, warnings);
  if (!diagnostics.empty()) return diagnostics.errors();
  const RootJoint root = root_joint(options.base, graph, warnings);
  add_urdf_loops(*robot, graph, diagnostics);
  if (!diagnostics.empty()) return diagnostics.errors();
  if (options.closed_loops) {
    const std::vector<Error> errors = add_closed_loops(*options.closed_loops, graph);
    if (!errors.empty()) return errors;
  }

  ImportResult model = assemble(graph, root, options, file_name);
  if (!model) return model;
  const std::vector<Error> found = warnings.errors();
  model->warnings.insert(model->warnings.begin(), found.begin(), found.end());
  return model;
}

}  // namespace kinloop

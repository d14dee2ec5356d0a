// Implements the import of SDF: read, check, parse, translate, assemble.
#include "services/import/sdf.hpp"

#include <exception>
#include <optional>

#include "services/base/diagnostics.hpp"
#include "services/base/text_file.hpp"
#include "services/import/assemble.hpp"
#include "services/import/sdf_check.hpp"
#include "services/import/sdf_graph.hpp"
#include "services/import/sdf_parse.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {

ImportResult import_sdf(const std::filesystem::path& path, const ImportOptions& options) {
  const Result<std::string> text = read_text_file(path, kMaxImportBytes);
  if (!text) return std::vector<Error>{text.error()};
  return import_sdf_text(*text, path.string(), options);
}

ImportResult import_sdf_text(const std::string& text, const std::string& file_name, const ImportOptions& options) {
  Diagnostics diagnostics(file_name);
  const std::optional<XmlElement> sdf = read_xml(text, diagnostics);
  if (!sdf) return diagnostics.errors();
  Diagnostics warnings(file_name);
  const XmlElement* model_element = check_sdf(*sdf, diagnostics, warnings);
  if (!diagnostics.empty()) return diagnostics.errors();
  const auto parsed = parse_sdf(file_name, text);
  if (!parsed) return parsed.error();

  MechanismGraph graph;
  try {
    graph = sdf_graph(*model_element, **parsed, diagnostics, warnings);
  } catch (const std::exception& exception) {
    return std::vector<Error>{{file_name, std::string("libsdformat refuses it: ") + exception.what()}};
  }
  if (!diagnostics.empty()) return diagnostics.errors();

  ImportResult model =
      assemble(graph, options.base == BaseKind::kFixed ? RootJoint::kFixed : RootJoint::kFree, options, file_name);
  if (!model) return model;
  const std::vector<Error> found = warnings.errors();
  model->warnings.insert(model->warnings.begin(), found.begin(), found.end());
  return model;
}

}  // namespace kinloop

// Finds out what kind of file it is by extension and content, and hands it to its reader.
#include "services/files/load_model.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <utility>

#include "core/constraints/compile.hpp"
#include "services/base/diagnostics.hpp"
#include "services/files/closed_loops_file.hpp"
#include "services/files/model_file.hpp"
#include "services/files/source_map.hpp"
#include "services/files/yaml_document.hpp"
#include "services/import/sdf.hpp"
#include "services/import/urdf.hpp"

namespace kinloop {
namespace {

using Errors = std::vector<Error>;

/// What a reader makes of a file, before it is compiled.
struct ReadModel {
  ModelSpec spec;
  FileKind kind = FileKind::kKinloop;
  Errors warnings;
  std::vector<double> tau;
  std::vector<VectorCase> cases;
};

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// Compiles; `place` turns an error about a field of the spec into one about a place in the file.
template <class Place>
Result<LoadedModel, Errors> compiled(ReadModel read, Place place) {
  Result<Model, CompileErrors> model = compile(read.spec);
  if (!model) return place(model.error());
  const Errors unusual = place(model->warnings());
  read.warnings.insert(read.warnings.end(), unusual.begin(), unusual.end());
  return LoadedModel{std::move(model).value(), read.kind, std::move(read.warnings), std::move(read.tau),
                     std::move(read.cases)};
}

Result<LoadedModel, Errors> load_vectors(const YamlDocument& document) {
  Result<VectorFile, Errors> file = read_vector_file(document);
  if (!file) return file.error();
  const FileKind kind = file->cases.empty() ? FileKind::kTrajectory : FileKind::kVectors;
  SourceMap map(document.root);
  for (const char* list : {"bodies", "joints", "loops", "springs"}) map.alias(list, std::string("model.") + list);
  return compiled({std::move(file->spec), kind, {}, std::move(file->tau), std::move(file->cases)},
                  [&](const Errors& errors) {
                    Diagnostics diagnostics(document.file_name);
                    for (const Error& error : errors) map.report(error, diagnostics);
                    return diagnostics.errors();
                  });
}

/// Only Kinloop's own models have parameters; nothing that was set may be lost in silence.
Errors no_parameters(const LoadOptions& options, FileKind kind) {
  Errors errors;
  for (const ParameterSetting& setting : options.parameters) {
    errors.push_back({std::string(kSetOption) + " " + setting.name,
                      "only a Kinloop model has parameters, not " + std::string(describe(kind))});
  }
  return errors;
}

Errors no_closed_loops(const LoadOptions& options, FileKind kind) {
  return {{options.closed_loops.string(),
           "closes loops of a URDF, not of " + std::string(describe(kind)) + ", which holds its own"}};
}

Result<LoadedModel, Errors> load_yaml(const std::filesystem::path& path, const LoadOptions& options) {
  auto document = read_yaml_file(path);
  if (!document) return document.error();
  document->former_keys = options.former_keys == FormerKeys::kAccepted ? FormerKeys::kAccepted : former_keys_in(path);
  if (is_vector_file(document->root)) {
    if (!options.parameters.empty()) return no_parameters(options, FileKind::kVectors);
    return load_vectors(*document);
  }
  if (document->root.find("kinloop_rig") != nullptr) {
    return Errors{{path.string(), "is a rig file; its model is the file that it names under 'model'"}};
  }
  if (!is_model_file(document->root)) {
    return Errors{
        {path.string(),
         "is neither a Kinloop model (keys bodies and joints) nor test vectors (model.schema: mbs-vectors-1)"}};
  }
  const Errors unknown = set_parameters(options.parameters, *document);
  if (!unknown.empty()) return unknown;
  Result<CompiledModelFile, Errors> file = compile_model(*document);
  if (!file) return file.error();
  return LoadedModel{std::move(file->model), FileKind::kKinloop, std::move(file->warnings), {}, {}};
}

Result<LoadedModel, Errors> load_imported(const std::filesystem::path& path, FileKind kind,
                                          const LoadOptions& options) {
  if (!options.parameters.empty()) return no_parameters(options, kind);
  ImportOptions import = options.import;
  if (!options.closed_loops.empty()) {
    Result<ClosedLoops, Errors> loops = read_closed_loops(options.closed_loops);
    if (!loops) return loops.error();
    import.closed_loops = std::move(loops).value();
  }
  ImportResult imported = kind == FileKind::kUrdf ? import_urdf(path, import) : import_sdf(path, import);
  if (!imported) return imported.error();
  if (import.closed_loops) {
    const Errors& said = import.closed_loops->warnings;
    imported->warnings.insert(imported->warnings.begin(), said.begin(), said.end());
  }
  return compiled({std::move(imported->spec), kind, std::move(imported->warnings), {}, {}}, [&](Errors errors) {
    for (Error& error : errors) error.where = path.string() + ": " + error.where;
    return errors;
  });
}

/// What an XML file is by its outermost element; nothing if it is no XML that we know.
std::optional<FileKind> xml_kind(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(4096, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (start.find('<') == std::string::npos || start.find_first_not_of(" \t\r\n\xEF\xBB\xBF") != start.find('<'))
    return {};
  if (start.find("<robot") != std::string::npos) return FileKind::kUrdf;
  if (start.find("<sdf") != std::string::npos) return FileKind::kSdf;
  return {};
}

/// The extension decides where it is known, else the content.
Result<LoadedModel, Errors> dispatch(const std::filesystem::path& path, const LoadOptions& options) {
  const std::string extension = lower_extension(path);
  std::optional<FileKind> kind = xml_kind(path);
  if (extension == ".urdf") kind = FileKind::kUrdf;
  if (extension == ".sdf") kind = FileKind::kSdf;
  if (!options.closed_loops.empty() && kind != FileKind::kUrdf) {
    return no_closed_loops(options, kind.value_or(FileKind::kKinloop));
  }
  return kind ? load_imported(path, *kind, options) : load_yaml(path, options);
}

}  // namespace

std::string_view describe(FileKind kind) noexcept {
  switch (kind) {
    case FileKind::kKinloop:
      return "Kinloop model";
    case FileKind::kVectors:
      return "test vectors";
    case FileKind::kTrajectory:
      return "start of a reference trajectory";
    case FileKind::kUrdf:
      return "URDF";
    case FileKind::kSdf:
      return "SDF";
  }
  return "unknown";
}

Result<LoadedModel, Errors> load_model(const std::filesystem::path& path, const LoadOptions& options) {
  return dispatch(path, options);
}

}  // namespace kinloop

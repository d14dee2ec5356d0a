// Finds out what kind of file it is by extension and content, and hands it to its reader.
#include "services/files/load_model.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "services/files/diagnostics.hpp"
#include "services/files/source_map.hpp"
#include "services/files/yaml_document.hpp"

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

Result<LoadedModel, Errors> load_yaml(const std::filesystem::path& path) {
  const auto document = read_yaml_file(path);
  if (!document) return document.error();
  if (is_vector_file(document->root)) return load_vectors(*document);
  return Errors{{path.string(), "is no file of test vectors (model.schema: mbs-vectors-1)"}};
}

Result<LoadedModel, Errors> dispatch(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".urdf" || extension == ".sdf") {
    return Errors{{path.string(), "reading " + extension + " files is not built into this version"}};
  }
  return load_yaml(path);
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

Result<LoadedModel, Errors> load_model(const std::filesystem::path& path, const LoadOptions& /*options*/) {
  return dispatch(path);
}

}  // namespace kinloop

// Owns the one way from a file of any known kind to a compiled Model.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "services/base/former_keys.hpp"
#include "services/files/parameter_settings.hpp"
#include "services/files/vector_file.hpp"
#include "services/import/imported_model.hpp"

namespace kinloop {

enum class FileKind { kKinloop, kVectors, kTrajectory, kUrdf, kSdf };

/// For people: "Kinloop model", "test vectors", ...
std::string_view describe(FileKind kind) noexcept;

struct LoadOptions {
  ImportOptions import;                           // for URDF and SDF
  std::vector<ParameterSetting> parameters;       // for Kinloop models: what replaces the values in the file
  FormerKeys former_keys = FormerKeys::kRefused;  // but for files of runs, which may always have them
  std::filesystem::path closed_loops = {};        // for URDF: the file of its loops; empty: none beside its own
};

struct LoadedModel {
  Model model;
  FileKind kind;
  std::vector<Error> warnings;    // with their places in the file
  std::vector<double> tau;        // constant forces along the speeds that the file asks for; empty: none
  std::vector<VectorCase> cases;  // of test vectors
};

/// Reads, checks and compiles. Errors name file, line and column where the format knows them.
Result<LoadedModel, std::vector<Error>> load_model(const std::filesystem::path& path, const LoadOptions& options = {});

}  // namespace kinloop

// Owns what every importer takes and gives: ImportOptions in, ImportedModel out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/name_table.hpp"
#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"
#include "services/import/closed_loops.hpp"

namespace kinloop {

/// How a mechanism that its file does not attach to the world stands in it.
enum class BaseKind {
  kAuto,      // URDF: see choose_base() in assemble.hpp; SDF: floating, as its specification says
  kFixed,     // the root link is fixed to the ground
  kFloating,  // the root link moves freely, by a joint named "<link>_free"
};
std::string_view name_of(BaseKind base) noexcept;
std::span<const KindName<BaseKind>> base_names() noexcept;
Result<BaseKind> find_base(std::string_view name);

/// What becomes of fixed joints.
enum class FixedJoints {
  kMerge,  // the links become one body, each leaves a frame with its name
  kKeep,
};

/// What becomes of masses and inertias that no body has (mend_masses.hpp).
enum class ImpossibleMasses {
  kMended,  // as little as possible, with a warning
  kRefused,
};

struct ImportOptions {
  BaseKind base = BaseKind::kAuto;
  FixedJoints fixed_joints = FixedJoints::kMerge;
  ImpossibleMasses impossible_masses = ImpossibleMasses::kMended;
  std::optional<ClosedLoops> closed_loops = {};  // of a URDF, from a file beside it
};

/// A model read from a foreign format, and what its reader should know: what was ignored, locked or guessed.
struct ImportedModel {
  ModelSpec spec;
  std::vector<Error> warnings;
};

using ImportResult = Result<ImportedModel, std::vector<Error>>;

/// Larger files are refused.
inline constexpr std::size_t kMaxImportBytes = std::size_t{64} << 20U;

}  // namespace kinloop

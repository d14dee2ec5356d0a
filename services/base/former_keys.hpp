// Owns the former names of keys in rigs and models, as files of earlier versions have them (docs/compatibility.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kinloop {

/// What becomes of a key under its former name: people's files are refused and told the new name; what a program wrote
/// (records, directories of runs) is read as it is.
enum class FormerKeys { kRefused, kAccepted };

/// What the key was called before; empty: it always had this name.
std::string_view former_name(std::string_view key) noexcept;

/// Accepted for files in the directory of a run.
FormerKeys former_keys_in(const std::filesystem::path& file);

/// A text of rigs or models with its keys under their former names, for hashes that are to outlast a change of names.
std::string with_former_keys(std::string text);

}  // namespace kinloop

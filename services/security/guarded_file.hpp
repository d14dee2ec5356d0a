// Owns the reading of files and folders that must not be in the hands of others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.hpp"

namespace kinloop::security {

/// kSecret: only the owner may read and write it. kTrusted: everybody may read it, but not everybody may write it.
enum class Guard { kSecret, kTrusted };

/// A regular file of at most 16 KiB. Rights are those of the file that is opened, not of one that lay there before.
/// An error names the command that mends it.
Result<std::string> read_guarded_file(const std::filesystem::path& path, Guard guard);

/// That it is a folder that can be listed and not everybody may write into. Nothing if so.
std::optional<Error> check_guarded_folder(const std::filesystem::path& path);

/// The path as a word for a shell: quoted where that is needed.
std::string as_shell_word(const std::filesystem::path& path);

}  // namespace kinloop::security

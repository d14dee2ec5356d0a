// Owns the reading of a whole text file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/base/result.hpp"

namespace kinloop {

/// Reads a file of at most `max_bytes`; missing, unreadable and larger files are errors.
Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace kinloop

// Owns the writing of a whole file: all of it, or nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop {

enum class WriteStage { kOpen, kWrite };

struct WriteFailure {
  Error error;
  WriteStage stage = WriteStage::kOpen;  // whether the place was wrong, or the disk failed
};

/// Writes beside the file and renames, so that a failure leaves what was there before; what is no regular file (a pipe,
/// a device) is written as it is. Nothing if it worked.
std::optional<WriteFailure> write_file(const std::filesystem::path& path, std::string_view bytes);

/// False with errno set where not all of it could be written.
bool write_all(int descriptor, std::string_view bytes) noexcept;

}  // namespace kinloop

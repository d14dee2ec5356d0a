// Owns InputFile: reading a regular file at any place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/result.hpp"

namespace kinloop::record {

class InputFile {
 public:
  static Result<InputFile> open(const std::filesystem::path& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// When it was opened; somebody may be writing on.
  std::uint64_t size() const noexcept { return size_; }
  /// Fills `bytes` from `offset`. Precondition: they lie within size().
  Result<bool> read(std::uint64_t offset, std::span<char> bytes) const;

 private:
  InputFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kinloop::record

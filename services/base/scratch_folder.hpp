// Owns a folder for a while, gone at the end.
#pragma once

#include <filesystem>

#include "core/base/result.hpp"

namespace kinloop {

class ScratchFolder {
 public:
  /// A new one, of this user alone, where the system keeps temporary files.
  static Result<ScratchFolder> make();

  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace kinloop

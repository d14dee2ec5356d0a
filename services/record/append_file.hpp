// Owns AppendFile: a file that grows by whole blocks, or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop::record {

class AppendFile {
 public:
  /// Makes the file; one that is there already is never written over.
  static Result<AppendFile> create(const std::filesystem::path& path);

  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  /// By write(2). False where it failed: trouble() says why, and what was written of the block is cut off again; where
  /// even that fails, it is tried before the next block.
  bool append(std::string_view block);
  /// False where the system tells only now that writing failed.
  bool close();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Of whole blocks.
  std::uint64_t size() const noexcept { return size_; }
  /// Of all bytes so far.
  std::uint32_t crc() const noexcept { return crc_; }
  /// Why a block is missing, the newest reason; empty: none is.
  const std::string& trouble() const noexcept { return trouble_; }

 private:
  AppendFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  bool fail(int error_number);
  bool cut_rest();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
  bool has_rest_ = false;  // of a block that could not be written
  std::string trouble_;
};

}  // namespace kinloop::record

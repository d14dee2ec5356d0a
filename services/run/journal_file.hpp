// Owns journal files: what every step of a run was given and came to, so that the run can be repeated bit by bit.
//
// Binary, little-endian: "KLJOURN1", the number of actuators (u32), zero (u32), then for each step: step (u64), hash of
// the state at its end (u64), level (i32), frozen (u32), the commands (f64 each).
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "core/base/result.hpp"
#include "rt/plant_memory.hpp"

namespace kinloop::run {

class JournalWriter {
 public:
  static Result<JournalWriter> create(const std::filesystem::path& path, std::size_t actuators);

  void write(const rt::JournalEntry& entry);
  /// Whether all of it is on its way to the disk.
  bool flush();

 private:
  explicit JournalWriter(std::ofstream file, std::size_t actuators) : file_(std::move(file)), actuators_(actuators) {}

  std::ofstream file_;
  std::size_t actuators_;
};

/// A file that was cut off in the middle of an entry gives the entries before it.
Result<std::vector<rt::JournalEntry>> read_journal(const std::filesystem::path& path, std::size_t actuators);

}  // namespace kinloop::run

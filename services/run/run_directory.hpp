// Owns the directory that every run leaves behind: what ran, on what, how it went.
//
//   rig.yaml, model.*   the configuration in force, from which the run can be repeated
//   host.json           facts about the host
//   events.jsonl        what happened, one JSON object a line
//   timing.json         how times were kept
//   kinloop.log         what the supervisor said; kinloop-io.log: io and the gateway; older ones kinloop.1.log, ...
//   record.mcap         all steps, where that was asked for
//   memory              where the plant's shared memory is found while it runs
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop::run {

class RunDirectory {
 public:
  /// "<parent>/<name>-<UTC time>-<pid>", made with its parents.
  static Result<RunDirectory> create(const std::filesystem::path& parent, const std::string& name);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(std::string_view file) const { return path_ / file; }

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace kinloop::run

// Owns SnapshotStore: states of the plant that people gave names to, kept in the directory of the run.
#pragma once

#include <kinloop/v1/panel.pb.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/base/result.hpp"

namespace kinloop::gateway {

class SnapshotStore {
 public:
  static constexpr std::size_t kMax = 100;

  /// Takes up what is there already.
  explicit SnapshotStore(std::filesystem::path folder);

  /// 1 to 64 characters that can be shown.
  static bool is_name(std::string_view name);
  /// Instead of one of the same name. An error where there is no room, in the store or on the disk.
  std::optional<Error> put(const std::string& name, const v1::Snapshot& snapshot);
  const v1::Snapshot* find(const std::string& name) const;
  /// Whether there was one.
  bool forget(const std::string& name);
  v1::SnapshotList list() const;

 private:
  std::filesystem::path file_of(const std::string& name) const;

  std::filesystem::path folder_;
  std::map<std::string, v1::Snapshot> all_;
};

}  // namespace kinloop::gateway

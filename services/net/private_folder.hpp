// Owns the folders that no other user may enter: where the sockets of local plants are.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.hpp"

namespace kinloop::net {

/// Makes the folder with the rights 0700 if it is missing; its parent must be there. What is there must be a true
/// folder of this user without rights for others: else somebody else was there first.
Result<std::filesystem::path> make_private_folder(const std::filesystem::path& path);

/// The value of a variable of the environment, or nullptr.
using Environment = std::function<const char*(const char* name)>;

/// $KINLOOP_RUNTIME_DIR, else $XDG_RUNTIME_DIR/kinloop, else /tmp/kinloop-<uid>. It need not be there.
std::filesystem::path runtime_folder(const Environment& environment);
/// Of this process.
std::filesystem::path runtime_folder();

/// The folder "<rig>-<pid>" of one plant, gone at the end of this object. It counts as alive while this process holds a
/// lock in it: the number of a process can be another's by now, and means nothing in another container.
class PlantFolder {
 public:
  /// Below `runtime`, which is made if it is missing. Folders of plants that are gone are removed first.
  static Result<PlantFolder> create(const std::filesystem::path& runtime, const std::string& rig);
  PlantFolder(PlantFolder&& other) noexcept;
  PlantFolder& operator=(PlantFolder&&) = delete;
  ~PlantFolder();

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  PlantFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;
};

/// Removes the folders of plants that are gone; returns how many.
int remove_dead_plants(const std::filesystem::path& runtime);

}  // namespace kinloop::net

// Makes a folder with mkdtemp, and removes it with all that it holds.
#include "services/base/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace kinloop {

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "kinloop-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) return Error{pattern, std::strerror(errno)};
  return ScratchFolder(pattern);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace kinloop

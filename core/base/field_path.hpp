// Owns the paths by which errors name the fields of a description: "bodies[2].mass".
#pragma once

#include <cstddef>
#include <string>

namespace kinloop {

/// "path[3]"
inline std::string item_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

}  // namespace kinloop

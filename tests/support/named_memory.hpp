// Owns the way into the memory of a plant that runs: tests and measurements that look at it, or write in the name of
// io.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "rt/loop/memory_files.hpp"

namespace kinloop::test {

/// Opens what the file `memory` of a run directory names, to write to the one of `owner`.
inline Result<rt::MemoryFiles> open_named_memory(const std::filesystem::path& file, rt::MemoryOwner owner) {
  std::ifstream names(file);
  rt::MemoryDescriptors descriptors{};
  for (std::size_t i = 0; i < rt::kMemoryFiles; ++i) {
    std::string name;
    std::getline(names, name);
    const bool writes = i == static_cast<std::size_t>(owner);
    descriptors[i] = ::open(name.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  }
  return rt::MemoryFiles::open(descriptors, owner);
}

}  // namespace kinloop::test

// Makes the files and puts the parts into them; finds them again in another process.
#include "rt/loop/memory_files.hpp"

#include <sys/stat.h>

#include <span>
#include <utility>

namespace kinloop::rt {
namespace {

constexpr std::array<const char*, kMemoryFiles> kOwnerNames = {"-supervisor", "-plant", "-io"};

/// Bytes of each file, with buffers for states of so many doubles.
std::array<std::size_t, kMemoryFiles> file_sizes(std::size_t state_size) noexcept {
  const std::size_t block = state_size * sizeof(double);
  return {sizeof(SupervisorPart), sizeof(PlantPart) + block, sizeof(IoPart) + block};
}

template <class Part>
std::span<double> block_behind(const SharedMemory& file, std::size_t size) noexcept {
  return {reinterpret_cast<double*>(static_cast<char*>(file.data()) + sizeof(Part)), size};
}

Error another_version() { return {"shared memory", "the supervisor is of another version"}; }

}  // namespace

MemoryFiles::MemoryFiles(std::vector<SharedMemory> files, std::size_t state_size)
    : files_(std::move(files)),
      view_(std::make_unique<PlantMemory>(found_in<SupervisorPart>(files_[0]), found_in<PlantPart>(files_[1]),
                                          found_in<IoPart>(files_[2]), block_behind<PlantPart>(files_[1], state_size),
                                          block_behind<IoPart>(files_[2], state_size))) {}

Result<MemoryFiles> MemoryFiles::create(const std::string& name, std::size_t state_size, Processes processes) {
  const auto sizes = file_sizes(state_size);
  std::vector<SharedMemory> files;
  for (std::size_t i = 0; i < kMemoryFiles; ++i) {
    auto file = SharedMemory::create(name + kOwnerNames[i], sizes[i]);
    if (!file) return file.error();
    files.push_back(std::move(file).value());
  }
  SupervisorPart& own = construct_in<SupervisorPart>(files[0]);
  construct_in<PlantPart>(files[1]);
  construct_in<IoPart>(files[2]);
  own.state_size = static_cast<std::uint32_t>(state_size);
  files[0].forbid_new_writers();
  if (processes == Processes::kSeparate) {
    files[1].give_up_writing();
    files[2].give_up_writing();
  }
  return MemoryFiles(std::move(files), state_size);
}

Result<MemoryFiles> MemoryFiles::open(const MemoryDescriptors& descriptors, MemoryOwner owner) {
  struct stat own {};
  if (::fstat(descriptors[0], &own) != 0) return Error{"shared memory", "there is none"};
  if (own.st_size != static_cast<off_t>(sizeof(SupervisorPart))) return another_version();
  std::size_t state_size = 0;
  std::vector<SharedMemory> files;
  for (std::size_t i = 0; i < kMemoryFiles; ++i) {
    const Access access = i == static_cast<std::size_t>(owner) ? Access::kWrite : Access::kRead;
    auto file = SharedMemory::open(descriptors[i], file_sizes(state_size)[i], access);
    if (!file) return file.error();
    files.push_back(std::move(file).value());
    if (i > 0) continue;
    const auto& supervisor = found_in<SupervisorPart>(files[0]);
    if (supervisor.layout != SupervisorPart::kLayout) return another_version();
    state_size = supervisor.state_size;  // the sizes of the other files must be those of this very number
  }
  if (owner == MemoryOwner::kPlant) files[1].forbid_new_writers();  // io's next process has to write to its file
  return MemoryFiles(std::move(files), state_size);
}

}  // namespace kinloop::rt

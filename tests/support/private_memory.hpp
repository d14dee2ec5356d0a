// Owns PrivateMemory: the memory of a plant in one process, for loops and parts of io without a supervisor.
#pragma once

#include <memory>
#include <vector>

#include "rt/loop/plant_memory.hpp"

namespace kinloop::rt {

struct MemoryParts {
  explicit MemoryParts(std::size_t state_size) : leaving(state_size), coming(state_size) {}

  SupervisorPart of_supervisor;
  PlantPart of_plant;
  IoPart of_io;
  std::vector<double> leaving, coming;
};

/// With buffers for states of so many doubles. Large: on the heap.
struct PrivateMemory : private MemoryParts, PlantMemory {
  explicit PrivateMemory(std::size_t state_size = 0)
      : MemoryParts(state_size), PlantMemory(of_supervisor, of_plant, of_io, leaving, coming) {}

  SupervisorPart& supervisor_part() noexcept { return of_supervisor; }
  PlantPart& plant_part() noexcept { return of_plant; }
  IoPart& io_part() noexcept { return of_io; }
};

/// Both sides of one way between two processes.
template <class Way>
struct Sides {
  typename Way::Written written;
  typename Way::Read read;
};
/// The way with its sides.
template <class Way>
struct Private : Sides<Way>, Way {
  Private() noexcept : Way(this->written, this->read) {}
};

}  // namespace kinloop::rt

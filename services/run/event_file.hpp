// Owns EventFile: lines into a file of bounded size, written by a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "services/log/log.hpp"

namespace kinloop::run {

/// Who adds a line never waits for a disk. Lines that cannot be written wait, up to a bound, until they can be; beyond
/// it they are lost, which the file tells once it can be written again. A file that grows too large is renamed:
/// "events.jsonl" becomes "events.1.jsonl", and so on; the oldest goes.
class EventFile {
 public:
  struct Bounds {
    std::size_t bytes = std::size_t{4} << 20U;  // of one file
    int files = 4;                              // the present one and older ones
    std::size_t waiting = 8192;                 // lines
  };

  /// `core` is one that its thread stays off, the plant's; negative: none. The log outlives it.
  EventFile(std::filesystem::path file, Bounds bounds, log::Logger log, int core = -1);
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;
  /// Writes what waits, for a second at most: a disk that hangs holds up no end.
  ~EventFile();

  void add(std::string line);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // with the thread, which is left behind where the disk holds it up
};

}  // namespace kinloop::run

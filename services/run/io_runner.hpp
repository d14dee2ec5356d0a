// Owns IoRunner: runs io in a process that is started again whenever it dies, or in a thread of this one.
#pragma once

#include <memory>

#include "rt/loop/memory_files.hpp"
#include "services/io/io.hpp"
#include "services/log/log.hpp"

namespace kinloop::run {

class IoRunner {
 public:
  IoRunner() = default;
  IoRunner(const IoRunner&) = delete;
  IoRunner& operator=(const IoRunner&) = delete;
  virtual ~IoRunner() = default;

  /// Often: starts it again where it died or is stuck.
  virtual void tend(std::int64_t now_ns) = 0;
  /// Whether it is up and all of its threads show life.
  virtual bool answers(std::int64_t now_ns) const = 0;
  /// Within which it answers again where it can be started again; 0: it cannot.
  virtual std::int64_t longest_restart_ns() const noexcept = 0;
  /// What is left is published and the record finished; waits for it, though not for ever.
  virtual void stop() = 0;
};

/// An error where io does not come up the first time; it has said why. The log outlives the runner.
Result<std::unique_ptr<IoRunner>> spawn_io(const io::IoOptions& options, const rt::MemoryFiles& memory,
                                           log::Logger log);
Result<std::unique_ptr<IoRunner>> start_io_thread(std::shared_ptr<const LoadedRig> rig, const io::IoOptions& options,
                                                  rt::PlantMemory& memory, log::Logger log);

/// The arguments of the verb `io` that say these options.
std::vector<std::string> io_arguments(const io::IoOptions& options);

}  // namespace kinloop::run

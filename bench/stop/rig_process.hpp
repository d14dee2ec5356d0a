// Owns a run of the program that is to be stopped: its processes, its sockets and its memory.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rt/loop/memory_files.hpp"

namespace kinloop::bench {

/// How the client reaches the plant.
enum class Way { kLocal, kTcp };

class RigProcess {
 public:
  /// A pendulum at 1 kHz in real time, up and running; ends the program where it does not come up.
  explicit RigProcess(const std::vector<std::string>& options);
  RigProcess(const RigProcess&) = delete;
  RigProcess& operator=(const RigProcess&) = delete;
  ~RigProcess();

  const rt::PlantMemory& memory() const;
  /// "ipc:///…/control".
  std::string control() const { return "ipc://" + (folder() / "control").string(); }
  /// Of the first socket of that name, as clients are told; empty where there is none.
  std::string address(const std::string& socket, Way way) const;
  std::filesystem::path folder() const;
  pid_t supervisor() const noexcept { return pid_; }
  /// 0 where there is none now.
  pid_t io() const;

 private:
  std::filesystem::path place_;
  pid_t pid_ = 0;
  std::optional<rt::MemoryFiles> files_;
};

}  // namespace kinloop::bench

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

/// What a run stands on.
struct Surroundings {
  enum class Console { kQuiet, kFull };  // a pipe that nobody reads and that takes nothing more
  enum class Disk { kHost, kSmall };     // one of its own that can be filled, with a record on it

  std::vector<std::string> options = {};
  std::string rig = {};  // more lines of it
  Console console = Console::kQuiet;
  Disk disk = Disk::kHost;
};

/// Small disks are root's.
bool can_have(const Surroundings& surroundings);

class RigProcess {
 public:
  /// A pendulum at 1 kHz in real time, up and running; ends the program where it does not come up.
  explicit RigProcess(const Surroundings& surroundings);
  RigProcess(const RigProcess&) = delete;
  RigProcess& operator=(const RigProcess&) = delete;
  ~RigProcess();

  const rt::PlantMemory& memory() const;
  /// "ipc:///…/control".
  std::string control() const { return "ipc://" + (folder() / "control").string(); }
  /// Of the first socket of that name, as clients are told; empty where there is none.
  std::string address(const std::string& socket, Way way) const;
  std::filesystem::path folder() const;
  /// Where run directories and records are.
  std::filesystem::path runs() const { return place_ / "runs"; }
  pid_t supervisor() const noexcept { return pid_; }
  /// 0 where there is none now.
  pid_t io() const;

 private:
  void mount_small_disk();

  std::filesystem::path place_;
  bool is_mounted_ = false;
  int full_console_ = -1;  // the end that nobody reads
  pid_t pid_ = 0;
  std::optional<rt::MemoryFiles> files_;
};

}  // namespace kinloop::bench

// Owns RunningRig: a pendulum that the program runs in a folder of its own, with the memory that its io writes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rt/loop/memory_files.hpp"
#include "tests/support/process.hpp"

namespace kinloop {

/// Of tests with what must happen soon: machines stall.
inline constexpr std::chrono::seconds kPatience{40};

/// Whether it comes true while one waits.
bool comes(const std::function<bool()>& condition, std::chrono::seconds patience = kPatience);

/// By the name that it has for ps and top; waits for the process. 0: there is none.
pid_t child_named(pid_t parent, const std::string& name);
pid_t thread_named(pid_t process, const std::string& name);

class RunningRig {
 public:
  /// A rig "own" of one actuator and one sensor, with these keys besides, up and running; its sockets are in
  /// `folder`/r, where clients of this process look from then on.
  RunningRig(std::filesystem::path folder, const std::string& mode, const std::string& keys,
             const std::vector<std::string>& more_arguments);
  RunningRig(const RunningRig&) = delete;
  RunningRig& operator=(const RunningRig&) = delete;
  ~RunningRig();

  /// Of the run.
  std::filesystem::path directory() const;
  rt::PlantMemory& memory() { return files_->memory(); }
  Process& process() { return *run_; }
  pid_t child(const std::string& name) const { return child_named(run_->pid(), name); }
  std::string log() const;

  /// By SIGTERM. Both give the exit code, or minus the signal that ended it.
  int end();
  int wait();

 private:
  std::filesystem::path folder_;
  std::optional<Process> run_;
  std::optional<rt::MemoryFiles> files_;
  bool has_ended_ = false;
};

}  // namespace kinloop

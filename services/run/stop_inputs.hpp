// Owns the thread of the supervisor that reads a rig's stop inputs: nothing else is done there.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/result.hpp"
#include "rt/loop/plant_memory.hpp"
#include "rt/loop/thread_setup.hpp"
#include "services/log/log.hpp"
#include "services/run/part_watch.hpp"
#include "services/run/stop_contact.hpp"

namespace kinloop::run {

class StopInputs {
 public:
  /// Reads from now on; an error where one cannot be opened. The memory must outlive it. The plant is stopped for as
  /// long as a contact says so, is gone or cannot be read, whoever re-arms it.
  static Result<std::unique_ptr<StopInputs>> open(const std::vector<StopInputSpec>& specs,
                                                  const rt::ThreadWishes& wishes, rt::PlantMemory& memory,
                                                  log::Logger log);
  StopInputs(const StopInputs&) = delete;
  StopInputs& operator=(const StopInputs&) = delete;
  ~StopInputs();

  /// Of its thread, to be watched: while it is silent, a button may be pressed and nobody knows.
  WatchedThread thread() const;

 private:
  struct Input {
    StopInputSpec spec;
    std::unique_ptr<StopContact> contact;  // none: it was lost
    StopContact::State state = StopContact::State::kWell;
    int rounds_away = 0;
  };

  StopInputs(std::vector<Input> inputs, rt::PlantMemory& memory, log::Logger log);
  void serve(const rt::ThreadWishes& wishes);
  void wait() const;
  void look_at(Input& input);
  void find_again(Input& input);

  std::vector<Input> inputs_;
  rt::PlantMemory& memory_;
  log::Logger log_;
  std::atomic<bool> ends_{false};
  rt::Beat beat_;
  std::thread thread_;
};

}  // namespace kinloop::run

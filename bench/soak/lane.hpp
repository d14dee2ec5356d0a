// Owns Lane: a rig that steps in mode free in a thread of its own, moved by random bounded commands that its seed
// draws.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/plant/plant.hpp"
#include "rt/loop/loop_settings.hpp"
#include "rt/loop/plant_memory.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::bench {

inline constexpr std::uint64_t kCheckpointSteps = 100'000;

class Lane {
 public:
  /// Begins at once and ends by itself after so many steps; two lanes of one rig and seed do the same.
  Lane(const LoadedRig& rig, std::uint64_t seed, std::uint64_t steps);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  void end() noexcept { memory_->stop.store(1, std::memory_order_relaxed); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  std::uint64_t steps() const noexcept { return steps_.load(std::memory_order_relaxed); }
  /// Of the states at every kCheckpointSteps-th step so far.
  std::vector<std::uint64_t> hashes() const;
  /// What went wrong; empty: nothing. After join().
  std::string trouble() const;
  double largest_error() const noexcept { return plant_->loops(0).largest_error; }
  std::uint64_t made_safe() const noexcept { return made_safe_; }

 private:
  class Drawn;

  const LoadedRig& rig_;
  std::unique_ptr<Plant> plant_;
  State state_;
  std::unique_ptr<rt::PrivateMemory> memory_ = std::make_unique<rt::PrivateMemory>();
  std::atomic<std::uint64_t> steps_{0};
  mutable std::mutex lock_;  // of the hashes
  std::vector<std::uint64_t> hashes_;
  bool is_finite_ = true;
  std::uint64_t made_safe_ = 0;
  rt::LoopEnd end_ = rt::LoopEnd::kDone;
  std::thread thread_;
};

}  // namespace kinloop::bench

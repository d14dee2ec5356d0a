// Owns AdapterLease: the one lease of an adapter, taken when there is something to give, over when there is not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "services/io/command_arbiter.hpp"

namespace kinloop::io {

/// By one thread at a time.
class AdapterLease {
 public:
  /// `time_s` of silence end it.
  AdapterLease(CommandArbiter& commands, std::vector<std::size_t> actuators, std::string holder, double time_s)
      : commands_(commands), actuators_(std::move(actuators)), holder_(std::move(holder)), time_s_(time_s) {}

  /// Whether values were given within the lease time.
  bool is_held(std::int64_t now_ns) const noexcept { return id_ != 0 && now_ns < until_ns_; }

  enum class Outcome {
    kGiven,
    kNotFree,    // somebody else holds one of the actuators
    kQueueFull,  // lockstep
  };
  /// One value for each actuator. Where the lease is over, it is taken again. No allocation while it is held, and none
  /// where somebody else holds it.
  Outcome give(std::uint64_t sequence, std::uint64_t rearm, std::span<const double> values, std::int64_t now_ns);

  /// Others may take the actuators.
  void release();

  std::span<const std::size_t> actuators() const noexcept { return actuators_; }

 private:
  bool hold(std::int64_t now_ns);

  CommandArbiter& commands_;
  std::vector<std::size_t> actuators_;
  std::string holder_;
  double time_s_;
  std::uint64_t id_ = 0;  // 0: none
  std::int64_t until_ns_ = 0;
};

}  // namespace kinloop::io

// Owns the signs of health that others wait for: systemd's watchdog, and a hardware watchdog.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop::run {

/// Tells systemd, as sd_notify does, but never waits: false where the message is lost. True where nobody listens.
bool notify_systemd(std::string_view text) noexcept;

class HealthReport {
 public:
  /// `device` may be empty. An error where it cannot be opened: a machine that is to be reset must not run without it.
  static Result<HealthReport> open(const std::string& device);

  HealthReport(HealthReport&& other) noexcept;
  HealthReport& operator=(HealthReport&&) = delete;
  HealthReport(const HealthReport&) = delete;
  HealthReport& operator=(const HealthReport&) = delete;
  /// Disarms the device only after a proper end.
  ~HealthReport();

  /// The plant runs: told with the next pet(), again until it arrives. From any thread.
  void ready() noexcept;
  /// All is well; often, only while it is. Tells the others a few times within the time they allow.
  void pet(std::int64_t now_ns) noexcept;
  /// The run ends as it should.
  void end_well() noexcept;

 private:
  explicit HealthReport(int device) noexcept;

  int device_;
  std::int64_t interval_ns_ = 0;  // between two signs
  std::int64_t next_ns_ = 0;
  std::atomic<bool> is_ready_{false};
  bool told_ready_ = false;
  bool ended_well_ = false;
};

}  // namespace kinloop::run

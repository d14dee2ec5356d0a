// Owns the signs of health that others wait for: systemd's watchdog, and a hardware watchdog.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.hpp"

namespace kinloop::run {

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

  /// The plant runs.
  void ready() const;
  /// All is well; often, only while it is. Tells the others a few times within the time they allow.
  void pet(std::int64_t now_ns) noexcept;
  /// The run ends as it should.
  void end_well() noexcept;

 private:
  explicit HealthReport(int device) noexcept;

  int device_;
  std::int64_t interval_ns_ = 0;  // between two signs
  std::int64_t next_ns_ = 0;
  bool ended_well_ = false;
};

}  // namespace kinloop::run

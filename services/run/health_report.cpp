// sd_notify, and the kernel's watchdog device.
#include "services/run/health_report.hpp"

#include <fcntl.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kinloop::run {
namespace {

constexpr std::int64_t kUsual_ns = 1'000'000'000;  // hardware watchdogs allow a minute or so

}  // namespace

Result<HealthReport> HealthReport::open(const std::string& device) {
  if (device.empty()) return HealthReport(-1);
  const int file = ::open(device.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return Error{"watchdog.device", device + ": " + std::strerror(errno)};
  return HealthReport(file);
}

HealthReport::HealthReport(int device) noexcept : device_(device), interval_ns_(kUsual_ns) {
  std::uint64_t allowed_us = 0;
  if (::sd_watchdog_enabled(0, &allowed_us) > 0) {
    interval_ns_ = std::min(interval_ns_, static_cast<std::int64_t>(allowed_us) * 1000 / 4);
  }
}

HealthReport::HealthReport(HealthReport&& other) noexcept
    : device_(std::exchange(other.device_, -1)),
      interval_ns_(other.interval_ns_),
      next_ns_(other.next_ns_),
      ended_well_(other.ended_well_) {}

HealthReport::~HealthReport() {
  if (device_ < 0) return;
  if (ended_well_) static_cast<void>(!::write(device_, "V", 1));  // the kernel's word for a wanted end
  ::close(device_);
}

void HealthReport::ready() const { ::sd_notify(0, "READY=1\nSTATUS=the plant runs"); }

void HealthReport::pet(std::int64_t now_ns) noexcept {
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + interval_ns_;
  ::sd_notify(0, "WATCHDOG=1");
  if (device_ >= 0) static_cast<void>(!::write(device_, "", 1));
}

void HealthReport::end_well() noexcept {
  ::sd_notify(0, "STOPPING=1");
  ended_well_ = true;
}

}  // namespace kinloop::run

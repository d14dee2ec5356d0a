// Datagrams to systemd, and the kernel's watchdog device.
#include "services/run/health_report.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace kinloop::run {
namespace {

constexpr std::int64_t kUsual_ns = 1'000'000'000;  // hardware watchdogs allow a minute or so

}  // namespace

bool notify_systemd(std::string_view text) noexcept {
  const char* const name = std::getenv("NOTIFY_SOCKET");
  if (name == nullptr) return true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(name);
  if (length < 2 || length >= sizeof address.sun_path) return true;
  std::memcpy(address.sun_path, name, length);
  if (name[0] == '@') address.sun_path[0] = '\0';  // an abstract one
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return false;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  const ssize_t sent = ::sendto(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                                reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
  return sent >= 0;
}

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
      is_ready_(other.is_ready_.load()),
      told_ready_(other.told_ready_),
      ended_well_(other.ended_well_) {}

HealthReport::~HealthReport() {
  if (device_ < 0) return;
  if (ended_well_) static_cast<void>(!::write(device_, "V", 1));  // the kernel's word for a wanted end
  ::close(device_);
}

void HealthReport::ready() noexcept { is_ready_.store(true, std::memory_order_relaxed); }

void HealthReport::pet(std::int64_t now_ns) noexcept {
  if (is_ready_.load(std::memory_order_relaxed) && !told_ready_) {
    told_ready_ = notify_systemd("READY=1\nSTATUS=the plant runs");
  }
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + interval_ns_;
  notify_systemd("WATCHDOG=1");
  if (device_ >= 0) static_cast<void>(!::write(device_, "", 1));
}

void HealthReport::end_well() noexcept {
  notify_systemd("STOPPING=1");
  ended_well_ = true;
}

}  // namespace kinloop::run

// Owns the signs of life of threads: when each was last seen at work, and how long it may be silent.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinloop::rt {

/// When a thread last went round, on the clock, in the memory of its process; 0: it is not there. Relaxed: it stands
/// for itself.
struct Beat {
  std::atomic<std::int64_t> at_ns{0};

  void show(std::int64_t now_ns) noexcept { at_ns.store(now_ns, std::memory_order_relaxed); }
  /// It ends as it should.
  void end() noexcept { at_ns.store(0, std::memory_order_relaxed); }
  /// Whether it is there and has been silent for longer, counted from `since_ns` at the earliest.
  bool is_overdue(std::int64_t now_ns, std::int64_t deadline_ns, std::int64_t since_ns = 0) const noexcept {
    const std::int64_t last_ns = at_ns.load(std::memory_order_relaxed);
    return last_ns != 0 && now_ns - (last_ns > since_ns ? last_ns : since_ns) > deadline_ns;
  }
};

/// The threads of io.
enum class IoThread : std::uint32_t { kMain, kFrames, kRecorder, kGateway, kJobs, kTrials, kStops, kRemoteStops };
inline constexpr std::size_t kIoThreads = 8;
using IoBeats = std::array<Beat, kIoThreads>;

struct ThreadDeadline {
  std::string_view name;
  std::int64_t deadline_ns;  // without a sign of life: the thread is stuck, and its process is to be restarted
};
/// In the order of IoThread. A disk may keep a recorder waiting, a single linearization a job; all others go round many
/// times a second.
inline constexpr std::array<ThreadDeadline, kIoThreads> kIoDeadlines = {{{"main", 5'000'000'000},
                                                                         {"frames", 5'000'000'000},
                                                                         {"recorder", 15'000'000'000},
                                                                         {"gateway", 10'000'000'000},
                                                                         {"jobs", 60'000'000'000},
                                                                         {"trials", 60'000'000'000},
                                                                         {"stops", 5'000'000'000},
                                                                         {"remote stops", 5'000'000'000}}};
/// Of the thread that rebuilds plants: it loads files and warms up.
inline constexpr std::int64_t kBuilderDeadline_ns = 60'000'000'000;

inline Beat& beat_of(IoBeats& beats, IoThread thread) noexcept { return beats[static_cast<std::size_t>(thread)]; }

/// Those above the plant, whose absence makes it look after itself.
enum class Guardian : std::int64_t { kNone, kSupervisor, kIo };

/// Which of them was there and has shown no life for longer than the timeout; none with a timeout of 0.
inline Guardian silent_guardian(const Beat& supervisor, const Beat& io, std::int64_t now_ns,
                                std::int64_t timeout_ns) noexcept {
  if (timeout_ns <= 0) return Guardian::kNone;
  if (supervisor.is_overdue(now_ns, timeout_ns)) return Guardian::kSupervisor;
  return io.is_overdue(now_ns, timeout_ns) ? Guardian::kIo : Guardian::kNone;
}

}  // namespace kinloop::rt

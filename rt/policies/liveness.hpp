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

/// The plant's view of those above it. An io that is started again clears its beat before it shows its first one: what
/// was seen last counts on, so that one which dies or hangs in between is missed all the same.
class GuardianWatch {
 public:
  /// Nobody is missed with a timeout of 0.
  explicit GuardianWatch(std::int64_t timeout_ns) noexcept : timeout_ns_(timeout_ns) {}

  /// Which of them was there at some time and has shown no life for longer than the timeout.
  Guardian silent(const Beat& supervisor, const Beat& io, std::int64_t now_ns) noexcept {
    if (timeout_ns_ <= 0) return Guardian::kNone;
    if (is_silent(supervisor, supervisor_ns_, now_ns)) return Guardian::kSupervisor;
    return is_silent(io, io_ns_, now_ns) ? Guardian::kIo : Guardian::kNone;
  }

 private:
  bool is_silent(const Beat& beat, std::int64_t& last_ns, std::int64_t now_ns) const noexcept {
    const std::int64_t at_ns = beat.at_ns.load(std::memory_order_relaxed);
    if (at_ns != 0) last_ns = at_ns < now_ns ? at_ns : now_ns;  // io writes it: no credit for a time to come
    return last_ns != 0 && now_ns - last_ns > timeout_ns_;
  }

  std::int64_t timeout_ns_;
  std::int64_t supervisor_ns_ = 0, io_ns_ = 0;  // their last beats; 0: they never were there
};

}  // namespace kinloop::rt

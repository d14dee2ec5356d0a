// Looks at the beats of all parts.
#include "services/run/part_watch.hpp"

#include <utility>

namespace kinloop::run {

PartWatch::PartWatch(const rt::PlantMemory& memory, std::int64_t start_ns, std::vector<WatchedThread> threads,
                     log::Logger log)
    : memory_(memory),
      start_ns_(start_ns),
      log_(log),
      last_look_ns_(start_ns),
      awake_since_ns_(start_ns),
      io_answered_ns_(start_ns),
      not_ending_ns_(start_ns) {
  threads.push_back({"the thread that rebuilds plants", &memory.builder_beat, rt::kBuilderDeadline_ns,
                     WatchedThread::Process::kOther});
  for (WatchedThread& thread : threads) parts_.push_back({std::move(thread)});
}

bool PartWatch::are_well(std::int64_t now_ns, const IoRunner* io) {
  // Who was stopped and goes on finds the threads of its own process as they were: their deadlines start over.
  constexpr std::int64_t kLongestRound_ns = kStopDeadline_ns / 2;
  if (now_ns - last_look_ns_ > kLongestRound_ns) awake_since_ns_ = now_ns;
  last_look_ns_ = now_ns;
  if (io == nullptr || io->answers(now_ns)) io_answered_ns_ = now_ns;  // of io its runner tells
  bool are_well = now_ns == io_answered_ns_ || now_ns - io_answered_ns_ < io->longest_restart_ns();
  for (Part& part : parts_) {
    const WatchedThread& thread = part.thread;
    const std::int64_t since_ns = thread.process == WatchedThread::Process::kOwn ? awake_since_ns_ : 0;
    const bool was_silent = part.is_silent;
    part.is_silent = thread.beat->is_overdue(now_ns, thread.deadline_ns, since_ns);
    if (!part.is_silent) continue;
    are_well = false;
    if (!was_silent) log_.error(thread.what + " shows no life");
    if (thread.while_silent) thread.while_silent();
  }
  return are_well;
}

bool PartWatch::plant_is_late(std::int64_t now_ns) {
  constexpr std::int64_t kLongestStart_ns = 60'000'000'000;  // loading and warm-up
  constexpr std::int64_t kLongestEnd_ns = 10'000'000'000;    // the builder may be in the middle of a plant
  const bool runs = memory_.heartbeat.running.load(std::memory_order_acquire) != 0;
  const bool has_run = memory_.heartbeat.iterations.load(std::memory_order_relaxed) != 0;
  const bool ends = memory_.stop.load(std::memory_order_relaxed) != 0 || (has_run && !runs);
  if (!ends) not_ending_ns_ = now_ns;
  const bool starts_late = !ends && !has_run && now_ns - start_ns_ > kLongestStart_ns;
  const bool ends_late = ends && now_ns - not_ending_ns_ > kLongestEnd_ns;
  if (is_late_ || (!starts_late && !ends_late)) return false;
  is_late_ = true;
  log_.error(ends_late ? "the plant does not end: it is killed" : "the plant does not start: it is killed");
  return true;
}

}  // namespace kinloop::run

// Looks at the beats of all parts.
#include "services/run/part_watch.hpp"

#include <utility>

namespace kinloop::run {

bool PartWatch::answer(std::int64_t now_ns, const IoRunner* io, const StopWays* stops) {
  const bool io_answers = io == nullptr || io->answers(now_ns);
  const bool stops_answer = stops == nullptr || stops->answer(now_ns);
  const bool builder_answers = !memory_.builder_beat.is_overdue(now_ns, rt::kBuilderDeadline_ns);
  const bool are_silent = !stops_answer || !builder_answers;  // of io its runner tells
  if (are_silent && !told_silence_) {
    log_.error(stops_answer ? "the thread that rebuilds plants shows no life" : "a thread for stops shows no life");
  }
  told_silence_ = are_silent;
  return io_answers && stops_answer && builder_answers;
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

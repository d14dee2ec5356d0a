// Sorts one step's times into the histograms.
#include "rt/timing/timing_monitor.hpp"

#include <algorithm>
#include <cstdlib>

namespace kinloop::rt {
namespace {

constexpr std::array<std::string_view, kPhases> kDurationNames = {"command", "solve", "project", "sense", "publish"};

}  // namespace

std::string_view name_of(Phase phase) noexcept { return kDurationNames[static_cast<std::size_t>(phase)]; }

// Release and acquire: whoever reads a word of the new list sees the odd sequence when it looks again.

void WorstSteps::store(const StepTiming& timing, Words& words) noexcept {
  constexpr auto kRelease = std::memory_order_release;
  words[0].store(timing.step, kRelease);
  words[1].store(timing.due_ns, kRelease);
  words[2].store(timing.start_ns, kRelease);
  for (std::size_t p = 0; p < kPhases; ++p) words[3 + p].store(timing.phase_ns[p], kRelease);
}

StepTiming WorstSteps::load(const Words& words) noexcept {
  constexpr auto kAcquire = std::memory_order_acquire;
  StepTiming timing{words[0].load(kAcquire), words[1].load(kAcquire), words[2].load(kAcquire), {}};
  for (std::size_t p = 0; p < kPhases; ++p) timing.phase_ns[p] = words[3 + p].load(kAcquire);
  return timing;
}

void WorstSteps::offer(const StepTiming& timing) noexcept {
  const std::int64_t response_ns = timing.response_ns();
  if (response_ns <= least_ns_) return;
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::uint32_t before = sequence_.load(kRelaxed);
  sequence_.store(before + 1, kRelaxed);
  std::size_t count = std::min<std::size_t>(count_.load(kRelaxed), kKept);
  if (count < kKept) ++count;
  std::size_t place = count - 1;
  for (; place > 0 && load(list_[place - 1]).response_ns() < response_ns; --place) {
    store(load(list_[place - 1]), list_[place]);
  }
  store(timing, list_[place]);
  count_.store(static_cast<std::uint32_t>(count), std::memory_order_release);
  sequence_.store(before + 2, std::memory_order_release);  // the whole list, to readers
  if (count == kKept) least_ns_ = load(list_[kKept - 1]).response_ns();
}

std::size_t WorstSteps::copy_to(List& out) const noexcept {
  constexpr int kMaxTries = 100;
  for (int i = 0; i < kMaxTries; ++i) {
    const std::uint32_t before = sequence_.load(std::memory_order_acquire);
    const std::size_t count = std::min<std::size_t>(count_.load(std::memory_order_acquire), kKept);
    for (std::size_t k = 0; k < count; ++k) out[k] = load(list_[k]);
    if (before % 2 == 0 && sequence_.load(std::memory_order_relaxed) == before) return count;
  }
  return 0;
}

void TimingMonitor::record(const StepTiming& timing, std::int64_t period_ns) noexcept {
  latency_.record(timing.latency_ns());
  execution_.record(timing.execution_ns());
  slack_.record(period_ns - timing.response_ns());
  for (std::size_t p = 0; p < kPhases; ++p) phases_[p].record(timing.phase_ns[p]);
  if (has_last_) jitter_.record(std::abs(timing.start_ns - last_start_ns_ - period_ns));
  last_start_ns_ = timing.start_ns;
  has_last_ = true;
  worst_.offer(timing);
}

}  // namespace kinloop::rt

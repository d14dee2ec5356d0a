// Measures the time from the call of an emergency stop to its latching, read from the plant's own memory: idle and
// while the run is attacked. The caller is a client that was connected before, and asks as all clients do: through io
// and at the stop sockets of supervisor and io at once.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <kinloop/client/plant.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/stop/attacks.hpp"
#include "bench/stop/echo.hpp"
#include "bench/stop/rig_process.hpp"

namespace kinloop::bench {
namespace {

using Steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

double milliseconds(Steady::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

/// Looks at the receipts every 50 us, before all else where the host permits that.
class Watcher {
 public:
  explicit Watcher(const rt::PlantMemory& memory) : memory_(memory), thread_([this] { watch(); }) {}
  ~Watcher() {
    ends_.store(true);
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  std::uint64_t latched() const noexcept {
    std::uint64_t sum = 0;
    for (const rt::StopReceipt& receipt : memory_.stop_receipts) sum += receipt.count.load(std::memory_order_acquire);
    return sum;
  }
  /// When the last change was seen; waits for one after `before`. Nothing after ten seconds.
  std::optional<Steady::time_point> latch_after(std::uint64_t before) const {
    const auto until = Steady::now() + 10s;
    while (seen_.load(std::memory_order_acquire) == before) {
      if (Steady::now() > until) return std::nullopt;
      std::this_thread::sleep_for(100us);
    }
    return Steady::time_point(Steady::duration(first_change_.load(std::memory_order_relaxed)));
  }
  /// The next change is to be seen from here.
  std::uint64_t arm() {
    const std::uint64_t now = latched();
    seen_.store(now, std::memory_order_release);
    return now;
  }

 private:
  void watch() {
    sched_param priority{};
    priority.sched_priority = 50;
    ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &priority);
    while (!ends_.load(std::memory_order_relaxed)) {
      std::uint64_t seen = seen_.load(std::memory_order_acquire);
      const std::uint64_t now = latched();
      if (now != seen) {
        first_change_.store(Steady::now().time_since_epoch().count(), std::memory_order_relaxed);
        seen_.compare_exchange_strong(seen, now, std::memory_order_release);
      }
      std::this_thread::sleep_for(50us);
    }
  }

  const rt::PlantMemory& memory_;
  std::atomic<bool> ends_{false};
  std::atomic<std::uint64_t> seen_{0};
  std::atomic<Steady::rep> first_change_{0};
  std::thread thread_;
};

struct Result {
  std::vector<double> times_ms;
  std::vector<double> echoes_ms;  // what the machine alone takes, measured before each
  int lost = 0;                   // not latched within ten seconds
  int unconfirmed = 0;            // nobody told the caller
};

double quantile(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[std::min(at, sorted.size() - 1)];
}

/// Nothing where that attack cannot be tried here.
std::optional<Result> measure(const AttackKind& kind, int count) {
  const RigProcess run(kind.surroundings);
  client::Options options;
  options.timeout = 10s;
  auto plant = client::Plant::connect(run.address("control", kind.way), options);
  if (!plant) {
    std::fprintf(stderr, "%s\n", plant.error().message.c_str());
    std::exit(1);
  }
  Watcher watcher(run.memory());
  const auto attack = kind.begin(run);
  if (!attack) return std::nullopt;
  std::this_thread::sleep_for(100ms);
  std::mt19937_64 random(1);
  Echo echo;
  Result result;
  for (int i = 0; i < count; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 3000));  // in every phase of a tick
    result.echoes_ms.push_back(milliseconds(echo.ask()));
    const std::uint64_t before = watcher.arm();
    const auto begin = Steady::now();
    const bool is_confirmed = plant->emergency_stop().has_value();
    const auto answered = Steady::now();
    if (!is_confirmed) ++result.unconfirmed;
    if (const auto latched = watcher.latch_after(before)) {
      // Who was told that it is latched need not wait for a watcher that got no processor.
      const auto seen = is_confirmed ? std::min(*latched, answered) : *latched;
      result.times_ms.push_back(milliseconds(seen - begin));
    } else {
      ++result.lost;
    }
  }
  return result;
}

/// Both that could tell it are held at once: the plant stops itself once neither has shown life for long enough.
Result measure_abandoned(int count) {
  Result result;
  for (int i = 0; i < count; ++i) {
    RigProcess run(Surroundings{});
    const pid_t io = run.io();
    const auto begin = Steady::now();
    ::kill(run.supervisor(), SIGSTOP);
    ::kill(io, SIGSTOP);
    auto& pose = const_cast<rt::PlantMemory&>(run.memory()).pose;  // its reader stands still
    bool is_stopped = false;
    while (!is_stopped && Steady::now() - begin < 10s) {
      std::this_thread::sleep_for(1ms);
      const auto taken = pose.take();
      is_stopped = taken.value != nullptr && taken.value->stopped != 0;
    }
    if (is_stopped) {
      result.times_ms.push_back(milliseconds(Steady::now() - begin));
    } else {
      ++result.lost;
    }
    ::kill(io, SIGCONT);
  }
  return result;
}

bool print(const char* name, Result result) {
  std::sort(result.times_ms.begin(), result.times_ms.end());
  const std::vector<double>& times = result.times_ms;
  if (times.empty()) {
    std::printf("%-20s no stop was latched\n", name);
    return false;
  }
  std::sort(result.echoes_ms.begin(), result.echoes_ms.end());
  const std::vector<double>& echoes = result.echoes_ms;
  std::printf("%-20s %6zu %8.2f %8.2f %8.2f %6d %11d", name, times.size(), quantile(times, 0.5), quantile(times, 0.999),
              times.back(), result.lost, result.unconfirmed);
  if (!echoes.empty()) std::printf(" %12.2f %8.2f", quantile(echoes, 0.999), echoes.back());
  std::printf("\n");
  return result.lost == 0;
}

/// Names with commas in between.
bool is_among(const std::string& names, std::string_view name) {
  return ("," + names + ",").find("," + std::string(name) + ",") != std::string::npos;
}

}  // namespace
}  // namespace kinloop::bench

int main(int argc, char** argv) {
  using namespace kinloop::bench;
  int count = 3000;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--count") == 0) count = std::max(1, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  std::printf("from the call of a stop to its latching in the plant's memory, 1 kHz, ms\n");
  std::printf("echo: the same machine without a plant, a thread of that priority that sleeps for a tick\n");
  std::printf("%-20s %6s %8s %8s %8s %6s %11s %12s %8s\n", "attack", "stops", "p50", "p99.9", "max", "lost",
              "unconfirmed", "echo p99.9", "max");
  bool is_good = true;
  for (const AttackKind& kind : all_attacks()) {
    if (!only.empty() && !is_among(only, kind.name)) continue;
    const auto result = can_have(kind.surroundings) ? measure(kind, count) : std::nullopt;
    if (!result) std::printf("%-20s not tried here\n", kind.name.data());
    if (result) is_good = print(kind.name.data(), *result) && is_good;
    std::fflush(stdout);
  }
  constexpr int kAbandoned = 5;
  if (only.empty() || is_among(only, "both-stopped")) {
    is_good = print("both-stopped", measure_abandoned(std::min(count, kAbandoned))) && is_good;
  }
  return is_good ? 0 : 1;
}

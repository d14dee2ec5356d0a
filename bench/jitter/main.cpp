// Wake-up latency of our loop beside cyclictest's: same core, same period, same priority, taking turns.
//
//   bench_jitter [rounds] [seconds a turn] [period in us] [JSON file]
//
// Both wait for an absolute time with clock_nanosleep; what differs is how the thread is set up and what it does
// between two sleeps. Latencies are compared in whole microseconds, rounded down, as cyclictest counts them.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "rt/loop/loop.hpp"
#include "rt/loop/thread_setup.hpp"
#include "rt/loop/warm_up.hpp"
#include "services/host/host_facts.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop {
namespace {

constexpr int kPriority = 80;
constexpr std::size_t kMax_us = 20000;

/// How often each latency occurred; the last entry counts all that are longer.
struct Latencies {
  std::array<std::uint64_t, kMax_us + 1> counts{};
  std::uint64_t total = 0, longest_us = 0;

  void add(std::uint64_t us, std::uint64_t times) {
    counts[std::min<std::size_t>(us, kMax_us)] += times;
    total += times;
    if (times > 0) longest_us = std::max(longest_us, us);
  }
  std::uint64_t percentile(double share) const {
    const double wanted = share * static_cast<double>(total);
    std::uint64_t sum = 0;
    for (std::size_t us = 0; us <= kMax_us; ++us) {
      sum += counts[us];
      if (static_cast<double>(sum) >= wanted && sum > 0) return us;
    }
    return kMax_us;
  }
};

struct Turn {
  int core = 0;
  int seconds = 5;
  int period_us = 1000;
};

/// What a tick costs beside the solver, from the medians of its phases.
struct OwnCost {
  double command_us = 0.0, sense_us = 0.0, publish_us = 0.0;
  double total_us() const { return command_us + sense_us + publish_us; }
};

OwnCost run_ours(const LoadedRig& rig, const Turn& turn, Latencies& into) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  OwnCost cost;
  std::thread([&] {
    rt::ThreadWishes wishes;
    wishes.priority = kPriority;
    wishes.core = turn.core;
    wishes.locked_memory = true;
    wishes.stack_bytes = 256 * 1024;
    wishes.awake_processors = true;
    const rt::ThreadSetup setup(wishes);
    for (const rt::Refusal& refusal : setup.refusals()) std::fprintf(stderr, "not granted: %s\n", refusal.what.c_str());
    const auto plant = std::move(Plant::make(rig.model.model, rig.spec.plant)).value();
    State state = plant->initial_state();
    rt::warm_up(*plant, state);
    rt::LiveInput input(rig.spec.commands, *memory);
    rt::MonotonicClock clock;
    rt::LoopSettings settings;
    settings.period_ns = turn.period_us * 1000LL;
    settings.max_steps = static_cast<std::uint64_t>(turn.seconds) * 1'000'000U / static_cast<unsigned>(turn.period_us);
    rt::Loop(settings, *plant, state, input, clock, *memory).run();
  }).join();

  const auto counts = std::make_unique<rt::HistogramCounts>();
  memory->timing.latency().copy_to(*counts);
  for (std::size_t i = 0; i < counts->counts.size(); ++i) {
    into.add(rt::histogram_buckets::lower_bound(i) / 1000, counts->counts[i]);
  }
  const auto median_us = [&](rt::Phase phase) {
    memory->timing.phase(phase).copy_to(*counts);
    return static_cast<double>(counts->percentile(0.5)) * 1e-3;
  };
  cost.command_us = median_us(rt::Phase::kCommand);
  cost.sense_us = median_us(rt::Phase::kSense);
  cost.publish_us = median_us(rt::Phase::kPublish);
  return cost;
}

bool run_cyclictest(const Turn& turn, Latencies& into) {
  const std::string command = "cyclictest -q -m -t 1 -p " + std::to_string(kPriority) + " -a " +
                              std::to_string(turn.core) + " -i " + std::to_string(turn.period_us) + " -l " +
                              std::to_string(turn.seconds * 1'000'000LL / turn.period_us) + " -h " +
                              std::to_string(kMax_us) + " 2>/dev/null";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  std::array<char, 256> line{};
  unsigned long long us = 0;
  unsigned long long times = 0;
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    if (line[0] != '#' && std::sscanf(line.data(), "%llu %llu", &us, &times) == 2) into.add(us, times);
    if (std::sscanf(line.data(), "# Histogram Overflows: %llu", &times) == 1) into.add(kMax_us, times);
  }
  return ::pclose(pipe) == 0 && into.total > 0;
}

/// stress-ng while it lives.
class Stress {
 public:
  Stress() {
    std::array<std::string, 9> words = {"stress-ng", "--cpu", "2", "--vm", "1", "--vm-bytes", "64M", "--hdd", "1"};
    std::array<char*, 10> argv{};
    for (std::size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (::posix_spawnp(&pid_, "stress-ng", &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  Stress(const Stress&) = delete;
  Stress& operator=(const Stress&) = delete;
  ~Stress() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGINT);
    ::waitpid(pid_, nullptr, 0);
  }
  bool is_there() const { return pid_ > 0; }

 private:
  pid_t pid_ = -1;
};

nlohmann::ordered_json compare(const char* what, const LoadedRig& rig, const Turn& turn, int rounds) {
  const auto ours = std::make_unique<Latencies>();
  const auto theirs = std::make_unique<Latencies>();
  OwnCost cost;
  for (int round = 0; round < rounds; ++round) {
    std::fprintf(stderr, "%s: round %d of %d\n", what, round + 1, rounds);
    cost = run_ours(rig, turn, *ours);
    if (!run_cyclictest(turn, *theirs)) {
      std::fprintf(stderr, "cyclictest does not run: install rt-tests, and run as root\n");
      std::exit(1);
    }
  }
  nlohmann::ordered_json result = {{"condition", what}, {"wakeups", ours->total}};
  std::printf("\n%s, %llu wake-ups each, us%14s%12s%9s\n", what, static_cast<unsigned long long>(ours->total),
              "kinloop", "cyclictest", "ratio");
  const auto row = [&](const char* name, std::uint64_t a, std::uint64_t b) {
    const double ratio = static_cast<double>(a) / static_cast<double>(std::max<std::uint64_t>(b, 1));
    std::printf("  %-38s%14llu%12llu%9.2f\n", name, static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b), ratio);
    result[name] = {{"kinloop_us", a}, {"cyclictest_us", b}, {"ratio", ratio}};
  };
  row("p50", ours->percentile(0.5), theirs->percentile(0.5));
  row("p99", ours->percentile(0.99), theirs->percentile(0.99));
  row("p99.9", ours->percentile(0.999), theirs->percentile(0.999));
  row("p99.99", ours->percentile(0.9999), theirs->percentile(0.9999));
  row("max", ours->longest_us, theirs->longest_us);
  std::printf("  own cost of a tick beside the solver: %.2f us (command %.2f, sense and hash %.2f, publish %.2f)\n",
              cost.total_us(), cost.command_us, cost.sense_us, cost.publish_us);
  result["own_cost_us"] = cost.total_us();
  return result;
}

int run(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  Turn turn;
  turn.seconds = argc > 2 ? std::atoi(argv[2]) : 5;
  turn.period_us = argc > 3 ? std::atoi(argv[3]) : 1000;
  const host::HostFacts facts = host::read_host_facts(std::nullopt);
  turn.core = facts.core;
  const auto rig = load_rig(std::string(KINLOOP_SOURCE_DIR) + "/configs/rigs/pendulum.yaml");
  if (!rig || rounds < 1 || turn.seconds < 1 || turn.period_us < 20) {
    std::fprintf(stderr, "usage: bench_jitter [rounds] [seconds a turn] [period in us] [JSON file]\n");
    return 2;
  }
  nlohmann::ordered_json all = {{"kernel", facts.kernel},
                                {"core", turn.core},
                                {"period_us", turn.period_us},
                                {"results", nlohmann::ordered_json::array()}};
  all["results"].push_back(compare("idle", *rig, turn, rounds));
  const Stress stress;
  if (stress.is_there()) all["results"].push_back(compare("under stress-ng", *rig, turn, rounds));
  if (argc > 4) std::ofstream(argv[4]) << all.dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace kinloop

int main(int argc, char** argv) { return kinloop::run(argc, argv); }

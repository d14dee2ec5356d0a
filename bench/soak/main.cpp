// Steps four machines in mode free for very long with random bounded commands, each twice at the same time, and looks
// whether both do the same, nothing is no number, loops stay closed and memory stays flat.
//
//   bench_soak [--steps 100000000] [--minutes M] [--seed N]
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "bench/soak/lane.hpp"

namespace kinloop::bench {
namespace {

constexpr std::array kRigs = {"four_bar", "excavator", "stewart", "crane"};
constexpr long kMaxGrowth_kB = 8 << 10;

struct Options {
  std::uint64_t steps = 100'000'000;
  double minutes = 0.0;  // 0: until all steps are done
  std::uint64_t seed = 1;
};

struct Pair {
  std::string name;
  std::unique_ptr<LoadedRig> rig;
  std::unique_ptr<Lane> one, other;

  std::uint64_t steps() const { return std::min(one->steps(), other->steps()); }
  /// How many states were compared, and whether all were equal.
  std::pair<std::size_t, bool> compared() const {
    const auto a = one->hashes();
    const auto b = other->hashes();
    const std::size_t count = std::min(a.size(), b.size());
    return {count, std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count), b.begin())};
  }
};

long resident_kB() {
  std::ifstream file("/proc/self/statm");
  long size = 0;
  long resident = 0;
  file >> size >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

int soak(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::vector<Pair> pairs;
  for (const char* name : kRigs) {
    auto rig = load_rig(std::string(KINLOOP_SOURCE_DIR) + "/configs/rigs/" + name + ".yaml");
    if (!rig) {
      std::fprintf(stderr, "%s: %s\n", rig.error()[0].where.c_str(), rig.error()[0].what.c_str());
      return 1;
    }
    pairs.push_back({name, std::make_unique<LoadedRig>(std::move(rig).value()), nullptr, nullptr});
    Pair& pair = pairs.back();
    pair.one = std::make_unique<Lane>(*pair.rig, options.seed, options.steps);
    pair.other = std::make_unique<Lane>(*pair.rig, options.seed, options.steps);
  }
  const auto all_done = [&] {
    return std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) { return pair.steps() >= options.steps; });
  };
  const auto is_over = [&] {
    return options.minutes > 0.0 && Clock::now() - begin > std::chrono::duration<double>(60.0 * options.minutes);
  };
  const auto have_begun = [&] {
    return std::all_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.steps() > 1'000; });
  };
  long settled_kB = 0;
  auto told = begin;
  while (!all_done() && !is_over()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (settled_kB == 0 && have_begun()) settled_kB = resident_kB();
    if (Clock::now() - told < std::chrono::minutes(1)) continue;
    told = Clock::now();
    for (const Pair& pair : pairs) std::printf("%s %llu  ", pair.name.c_str(), (unsigned long long)pair.steps());
    std::printf("resident %ld kB\n", resident_kB());
    std::fflush(stdout);
    if (std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return !pair.compared().second; })) break;
  }
  for (const Pair& pair : pairs) {
    pair.one->end();
    pair.other->end();
  }
  bool is_good = true;
  std::printf("%-12s %14s %10s %8s %14s %10s\n", "rig", "steps, twice", "compared", "equal", "loops open", "made safe");
  for (const Pair& pair : pairs) {
    pair.one->join();
    pair.other->join();
    const auto [count, is_equal] = pair.compared();
    const std::string trouble = !pair.one->trouble().empty() ? pair.one->trouble() : pair.other->trouble();
    std::printf("%-12s %14llu %10zu %8s %14.3g %10llu %s\n", pair.name.c_str(), (unsigned long long)pair.steps(), count,
                is_equal ? "yes" : "NO", std::max(pair.one->largest_error(), pair.other->largest_error()),
                (unsigned long long)pair.one->made_safe(), trouble.c_str());
    is_good = is_good && is_equal && trouble.empty();
  }
  const long growth_kB = settled_kB == 0 ? 0 : resident_kB() - settled_kB;
  std::printf("resident memory: %ld kB once all had begun, %+ld kB since\n", settled_kB, growth_kB);
  return is_good && growth_kB <= kMaxGrowth_kB ? 0 : 1;
}

}  // namespace
}  // namespace kinloop::bench

int main(int argc, char** argv) {
  kinloop::bench::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--steps") == 0) options.steps = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--minutes") == 0) options.minutes = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) options.seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return kinloop::bench::soak(options);
}

// Owns the growth of every formulation's time with the number of loops: linear cost, and where methods cross.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/peers/closed_mechanisms.hpp"
#include "bench/peers/contestants.hpp"
#include "bench/peers/timing.hpp"

namespace kinloop::bench {
namespace {

constexpr int kStateCount = 4;
constexpr int kSizes[] = {1, 2, 5, 10, 20, 50, 100, 200};

struct Family {
  std::string name;
  ClosedMechanism (*make)(int size);
};

const Family kFamilies[] = {
    {"N-four-bar, cut at the ground: one chain of 2N + 1 rods",
     [](int n) { return n_four_bar_with_states(n, Cut::kAtGround, kStateCount); }},
    {"N-four-bar, cut at the top: N + 1 chains of two rods",
     [](int n) { return n_four_bar_with_states(n, Cut::kAtTop, kStateCount); }},
    {"chain of loops: N four-bars, each on the coupler of the one before",
     [](int n) { return four_bar_chain_with_states(n, kStateCount); }},
};

/// One size of a family: a time for every contestant, 0 where it refuses.
struct Line {
  int size = 0;
  std::vector<double> ns;
};

Line measure(const Family& family, int size, const std::vector<Contestant>& contestants, Effort effort) {
  const ClosedMechanism closed = family.make(size);
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<Peer*> present;
  for (const Contestant& contestant : contestants) {
    peers.push_back(contestant.build(closed.mechanism));
    if (!peers.back()) continue;
    peers.back()->load_states(closed.states);
    present.push_back(peers.back().get());
  }
  std::vector<Entry> entries(present.size());
  measure_forward_dynamics(present, kStateCount, effort, entries);
  Line line{size, {}};
  std::size_t next = 0;
  for (const auto& peer : peers) line.ns.push_back(peer ? entries[next++].forward_dynamics_ns : 0.0);
  return line;
}

/// By what the time grows when the size doubles: 2 is linear, 8 cubic.
double growth(const Line& before, const Line& now, std::size_t i) {
  return std::pow(now.ns[i] / before.ns[i], std::log(2.0) / std::log(static_cast<double>(now.size) / before.size));
}

void print(const Line& line, const Line* before) {
  std::printf("%6d |", line.size);
  for (std::size_t i = 0; i < line.ns.size(); ++i) {
    if (line.ns[i] == 0.0)
      std::printf("%12s %5s |", "-", "");
    else if (before == nullptr)
      std::printf("%12.0f %5s |", line.ns[i], "");
    else
      std::printf("%12.0f %5.2f |", line.ns[i], growth(*before, line, i));
  }
  std::printf("\n");
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Line& line, const std::vector<Contestant>& contestants) {
  nlohmann::ordered_json out{{"size", line.size}};
  for (std::size_t i = 0; i < contestants.size(); ++i)
    if (line.ns[i] > 0.0) out["forward_dynamics_ns"][contestants[i].name] = line.ns[i];
  return out;
}

int run(Effort effort, int largest, const std::string& json_path) {
  std::vector<Contestant> contestants{kinloop_contestant()};
  for (const Contestant& formulation : kinloop_formulations())
    if (formulation.build(n_four_bar(1, Cut::kAtGround))) contestants.push_back(formulation);
  std::printf(
      "ns a forward dynamics, minimum over the batches; beside it the factor by which it grows when N doubles\n");
  nlohmann::ordered_json json;
  for (const Family& family : kFamilies) {
    std::printf("\n%s\n%6s |", family.name.c_str(), "N");
    for (const Contestant& contestant : contestants) std::printf("%18s |", contestant.name.c_str());
    std::printf("\n");
    std::vector<Line> lines;
    for (const int size : kSizes) {
      if (size > largest) break;
      lines.push_back(measure(family, size, contestants, effort));
      print(lines.back(), lines.size() > 1 ? &lines[lines.size() - 2] : nullptr);
      json[family.name].push_back(to_json(lines.back(), contestants));
    }
  }
  if (json_path.empty() || std::ofstream(json_path) << json.dump(2) << '\n') return 0;
  std::fprintf(stderr, "cannot write %s\n", json_path.c_str());
  return 2;
}

}  // namespace
}  // namespace kinloop::bench

int main(int argc, char** argv) {
  using namespace kinloop::bench;
  Effort effort = Effort::kFull;
  int largest = std::numeric_limits<int>::max();
  std::string json_path;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      effort = Effort::kQuick;
    } else if (argument == "--largest" && i + 1 < argc) {
      largest = std::atoi(argv[++i]);
    } else if (argument == "--json" && i + 1 < argc) {
      json_path = argv[++i];
    } else {
      std::fprintf(stderr, "usage: bench_loops [--quick] [--largest N] [--json FILE]\n");
      return 2;
    }
  }
  return run(effort, largest, json_path);
}

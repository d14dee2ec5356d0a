// Owns the benchmark beside the peers: trees, closed loops, and a race.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/peers/a02_race.hpp"
#include "bench/peers/contestants.hpp"
#include "bench/peers/loop_contest.hpp"
#include "bench/peers/tree_contest.hpp"

namespace kinloop::bench {
namespace {

struct Options {
  Effort effort = Effort::kFull;
  std::string filter;
  std::string json_path;
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      options.effort = Effort::kQuick;
    } else if (argument == "--filter" && i + 1 < argc) {
      options.filter = argv[++i];
    } else if (argument == "--json" && i + 1 < argc) {
      options.json_path = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

int run(const Options& options) {
  const std::vector<Contestant> peers = find_peers();
  std::vector<Contestant> on_trees{kinloop_contestant()};
  std::vector<Contestant> on_loops = on_trees;
  on_trees.insert(on_trees.end(), peers.begin(), peers.end());
  for (const Contestant& formulation : kinloop_formulations()) on_loops.push_back(formulation);
  on_loops.insert(on_loops.end(), peers.begin(), peers.end());

  const Report trees = run_tree_contest(on_trees, options.effort, options.filter);
  const std::vector<LoopRow> loops = run_loop_contest(on_loops, options.effort, options.filter);
  nlohmann::ordered_json json = to_json(trees);
  json["closed_loops"] = to_json(loops);
  if (std::string("a02_race").find(options.filter) != std::string::npos)
    json["a02_race"] = run_a02_race(on_trees, options.effort);

  if (!options.json_path.empty() && !(std::ofstream(options.json_path) << json.dump(2) << '\n')) {
    std::fprintf(stderr, "cannot write %s\n", options.json_path.c_str());
    return 2;
  }
  const auto agrees = [](const auto& row) { return row.agrees; };
  if (std::all_of(trees.rows.begin(), trees.rows.end(), agrees) && std::all_of(loops.begin(), loops.end(), agrees))
    return 0;
  std::fprintf(stderr, "the contestants do not agree; the times above compare different answers\n");
  return 1;
}

}  // namespace
}  // namespace kinloop::bench

int main(int argc, char** argv) {
  kinloop::bench::Options options;
  if (!kinloop::bench::parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: bench_peers [--quick] [--filter NAME] [--json FILE]\n");
    return 2;
  }
  return kinloop::bench::run(options);
}

// Owns the table of the IFToMM problems: time to low and to high precision, and how it was reached.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/iftomm/problems.hpp"
#include "bench/iftomm/search.hpp"
#include "core/dynamics/forward_dynamics.hpp"

namespace kinloop::bench {
namespace {

struct Options {
  std::string filter, json_path;
  std::string formulation = "auto";
  double max_wall_s = 20.0;  // for a single run
};

void print(const char* level, double limit, const Problem& problem, const std::optional<Finding>& finding) {
  std::printf("  %-4s %.0e  ", level, limit);
  if (!finding) {
    std::printf("not reached\n");
    return;
  }
  const Score& score = finding->score;
  std::printf("%10.4f s  %-20s %9.4g ms  %8ld steps  error %.1e, worst %.1e  energy %.1e J  x%.3g real time\n",
              score.wall_s, finding->method.integrator.c_str(),
              problem.output_interval_s() / finding->method.steps_per_output * 1e3, score.steps, score.error,
              score.worst, score.energy_error_J, problem.duration_s / score.wall_s);
}

nlohmann::ordered_json to_json(const Problem& problem, const std::optional<Finding>& finding) {
  if (!finding) return nullptr;
  const Score& score = finding->score;
  return {{"wall_s", score.wall_s},
          {"formulation", finding->method.formulation},
          {"integrator", finding->method.integrator},
          {"step_s", problem.output_interval_s() / finding->method.steps_per_output},
          {"steps", score.steps},
          {"error", score.error},
          {"worst_error", score.worst},
          {"energy_error_J", score.energy_error_J}};
}

// The same integrator and step with every formulation that accepts the model.
nlohmann::ordered_json compare_formulations(const Problem& problem, Finding finding, double max_wall_s) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  std::printf("  the last with");
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(problem.model).empty()) continue;
    finding.method.formulation = kind.name;
    finding.score = run(problem, finding.method, {1.0, max_wall_s});
    if (finding.score.finished) time_again(problem, finding);
    const Score& score = finding.score;
    const std::string name(kind.name);
    if (score.finished)
      std::printf("  %s %.4f s", name.c_str(), score.wall_s);
    else
      std::printf("  %s failed (%s)", name.c_str(), score.out_of_time ? "time" : "error or step");
    out[name] = score.finished ? nlohmann::ordered_json(score.wall_s) : nullptr;
  }
  std::printf("\n");
  return out;
}

int run_all(const Options& options) {
  std::printf(
      "error: root mean square over outputs and quantities of |y - y_ref| / max(|y_ref|, threshold); steps are "
      "searched "
      "over a ladder for every integrator, the fastest that suffices is shown\n");
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Problem& problem : iftomm_problems(options.filter)) {
    const std::string formulation = options.formulation == "auto"
                                        ? "auto: " + std::string(choose_dynamics(problem.model).name)
                                        : options.formulation;
    std::printf("\n%s %s, %g s, %ld outputs, threshold %g; %s\n  reference: %s\n", problem.name.c_str(),
                problem.title.c_str(), problem.duration_s, problem.outputs(), problem.threshold, formulation.c_str(),
                problem.answer.c_str());
    std::fflush(stdout);
    const Findings found = search(problem, options.formulation, options.max_wall_s);
    print("low", problem.low, problem, found.low);
    print("high", problem.high, problem, found.high);
    nlohmann::ordered_json line{{"name", problem.name},
                                {"title", problem.title},
                                {"reference", problem.answer},
                                {"duration_s", problem.duration_s},
                                {"low", to_json(problem, found.low)},
                                {"high", to_json(problem, found.high)}};
    if (found.high) line["formulations"] = compare_formulations(problem, *found.high, options.max_wall_s);
    std::fflush(stdout);
    json.push_back(std::move(line));
  }
  if (options.json_path.empty() || std::ofstream(options.json_path) << json.dump(2) << '\n') return 0;
  std::fprintf(stderr, "cannot write %s\n", options.json_path.c_str());
  return 2;
}

}  // namespace
}  // namespace kinloop::bench

int main(int argc, char** argv) {
  kinloop::bench::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--filter" && i + 1 < argc) {
      options.filter = argv[++i];
    } else if (argument == "--formulation" && i + 1 < argc) {
      options.formulation = argv[++i];
    } else if (argument == "--json" && i + 1 < argc) {
      options.json_path = argv[++i];
    } else {
      std::fprintf(stderr, "usage: bench_iftomm [--filter NAME] [--formulation NAME] [--json FILE]\n");
      return 2;
    }
  }
  return kinloop::bench::run_all(options);
}

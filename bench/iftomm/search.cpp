// From large steps to small ones: the first that suffices is the fastest of its integrator.
#include "bench/iftomm/search.hpp"

#include <algorithm>
#include <vector>

#include "core/integrators/integrator.hpp"

namespace kinloop::bench {
namespace {

// 1, 2, 3, 4, 6, 8, 12, ...
int next_rung(int steps) {
  if (steps < 3) return steps + 1;
  return (steps & (steps - 1)) == 0 ? steps / 2 * 3 : steps / 3 * 4;
}

constexpr int kMaxStepsPerOutput = 4096;

void keep_if_faster(const Finding& finding, std::optional<Finding>& best) {
  if (!best || finding.score.wall_s < best->score.wall_s) best = finding;
}

}  // namespace

void time_again(const Problem& problem, Finding& finding) {
  constexpr double kPatience_s = 1.0;
  constexpr int kMaxRuns = 20;
  double spent_s = finding.score.wall_s;
  for (int i = 0; i < kMaxRuns && spent_s < kPatience_s; ++i) {
    const Score again = run(problem, finding.method);
    finding.score.wall_s = std::min(finding.score.wall_s, again.wall_s);
    spent_s += again.wall_s;
  }
}

Findings search(const Problem& problem, const std::string& formulation, double max_wall_s) {
  // The best orders first: they bound the time that the others may take.
  std::vector<IntegratorKind> kinds(integrator_kinds().begin(), integrator_kinds().end());
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.order > b.order; });
  Findings best;
  for (const IntegratorKind& kind : kinds) {
    bool low_reached = false;
    for (int steps = 1; steps <= kMaxStepsPerOutput; steps = next_rung(steps)) {
      const Method method{formulation, std::string(kind.name), steps};
      const double bound = low_reached ? problem.high : problem.low;
      const Score score = run(problem, method, {bound, best.high ? best.high->score.wall_s : max_wall_s});
      if (score.out_of_time) break;  // smaller steps take longer still
      if (!score.finished) continue;
      if (!low_reached) keep_if_faster({method, score}, best.low);
      low_reached = true;
      if (score.error > problem.high) continue;
      keep_if_faster({method, score}, best.high);
      break;
    }
  }
  if (best.low) time_again(problem, *best.low);
  if (best.high) time_again(problem, *best.high);
  if (best.high) keep_if_faster(*best.high, best.low);
  return best;
}

}  // namespace kinloop::bench

// 40 windows, steps of 1 ms; the energy is computed from q and v, alike for all.
#include "bench/peers/a02_race.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>

#include "bench/peers/closed_mechanisms.hpp"
#include "bench/peers/neutral_kinematics.hpp"

namespace kinloop::bench {
namespace {

constexpr int kWindows = 40;
constexpr double kDt_s = 0.001;
constexpr int kStepsPerSample = 50;

struct Finish {
  double wall_s = 0.0;
  double energy_error_J = 0.0;  // largest at the samples
  double gap_m = 0.0;           // largest at the samples
  int failed_steps = 0;
};

Finish race(const Mechanism& mechanism, double duration_s, Peer& peer) {
  const MotionState start = n_four_bar_state(kWindows, std::numbers::pi / 2, -1.0);
  const double energy_J = total_energy_J(mechanism, start);
  peer.load_states({start});
  peer.set_state(0);
  Finish finish;
  MotionState reached;
  const auto samples = static_cast<int>(std::lround(duration_s / (kDt_s * kStepsPerSample)));
  for (int sample = 0; sample < samples; ++sample) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < kStepsPerSample; ++k) finish.failed_steps += peer.step(kDt_s) ? 0 : 1;
    finish.wall_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    peer.read_state(reached);
    finish.energy_error_J = std::max(finish.energy_error_J, std::abs(total_energy_J(mechanism, reached) - energy_J));
    finish.gap_m = std::max(finish.gap_m, loop_gap_m(mechanism, reached));
  }
  return finish;
}

}  // namespace

nlohmann::ordered_json run_a02_race(const std::vector<Contestant>& contestants, Effort effort) {
  const double duration_s = effort == Effort::kQuick ? 1.0 : 10.0;
  std::printf("\n%.0f s of A02, N = %d, Runge-Kutta of order 4 with 1 ms; energy and opening: largest of all samples\n",
              duration_s, kWindows);
  std::printf("  %-32s %9s %8s %12s %9s %7s\n", "", "wall s", "x", "energy J", "open m", "failed");
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  double first_s = 0.0;
  for (const Cut cut : {Cut::kAtGround, Cut::kAtTop}) {
    const Mechanism mechanism = n_four_bar(kWindows, cut);
    for (const Contestant& contestant : contestants) {
      const std::unique_ptr<Peer> peer = contestant.build(mechanism);
      if (!peer || !peer->use_rk4()) continue;
      const Finish finish = race(mechanism, duration_s, *peer);
      if (first_s == 0.0) first_s = finish.wall_s;
      const std::string name = contestant.name + (cut == Cut::kAtGround ? ", cut at ground" : ", cut at top");
      std::printf("  %-32s %9.3f %8.2f %12.2e %9.1e %7d\n", name.c_str(), finish.wall_s, finish.wall_s / first_s,
                  finish.energy_error_J, finish.gap_m, finish.failed_steps);
      std::fflush(stdout);
      out.push_back({{"contestant", name},
                     {"simulated_s", duration_s},
                     {"wall_s", finish.wall_s},
                     {"energy_error_J", finish.energy_error_J},
                     {"gap_m", finish.gap_m},
                     {"failed_steps", finish.failed_steps}});
    }
  }
  return out;
}

}  // namespace kinloop::bench

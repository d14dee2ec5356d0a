// Owns the passage of the five-window N-four-bar through its flat position, call by call: callgrind counts each.
//
// Near the flat position constraints become dependent; a method that then iterates longer would miss its deadline just
// there. Every call is dumped with a label "kind|contestant|angle" that count.py reads.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/peers/closed_mechanisms.hpp"
#include "bench/peers/contestants.hpp"

namespace kinloop::bench {
namespace {

constexpr int kWindows = 5;
constexpr double kDt_s = 0.001;

// From well before to well after, ever closer to the flat position, and exactly there.
std::vector<double> passage_angles() {
  std::vector<double> angles;
  for (int k = 1; k <= 20; ++k) angles.push_back(0.01 * k);
  for (int k = 3; k <= 14; ++k) angles.push_back(std::pow(10.0, -k));
  const std::vector<double> before = angles;
  for (const double angle : before) angles.push_back(-angle);
  angles.push_back(0.0);
  std::sort(angles.rbegin(), angles.rend());
  return angles;
}

// What a call costs must not depend on which library was called before it.
template <class Call>
void count(const std::string& label, const Call& call) {
  CALLGRIND_ZERO_STATS;
  call();
  CALLGRIND_DUMP_STATS_AT(label.c_str());
}

void pass(const Contestant& contestant, const Mechanism& mechanism) {
  const std::unique_ptr<Peer> peer = contestant.build(mechanism);
  if (!peer) return;
  // The speed of A02 where it is flat, by its energy.
  const double k = 9.81 * ((kWindows + 1) / 2.0 + kWindows) / ((kWindows + 1) / 3.0 + kWindows);
  const std::vector<double> angles = passage_angles();
  std::vector<MotionState> states;
  for (const double angle : angles)
    states.push_back(n_four_bar_state(kWindows, angle, -std::sqrt(1.0 + 2.0 * k * (1.0 - std::sin(angle)))));
  peer->load_states(states);
  peer->forward_dynamics(0);  // warm
  peer->set_state(0);
  peer->step(kDt_s);
  // The acceleration on the branch is known exactly. In the flat position itself the mechanism may leave the branch, so
  // no method can know; the farther from it one errs, the worse.
  constexpr double kWrong_radps2 = 1e-2;
  double wrong_from_rad = -1.0;
  std::vector<double> vdot(states.front().v.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const std::string at = "|" + mechanism.name + ": " + contestant.name + "|" + std::to_string(angles[i] * 1e9);
    const int index = static_cast<int>(i);
    count("forward dynamics" + at, [&] { peer->forward_dynamics(index); });
    peer->read_acceleration(vdot);
    if (!(std::abs(vdot[0] + k * std::cos(angles[i])) < kWrong_radps2))
      wrong_from_rad = std::max(wrong_from_rad, std::abs(angles[i]));
    peer->set_state(index);
    count("step" + at, [&] { peer->step(kDt_s); });
  }
  std::printf("%s: %s|%.3g\n", mechanism.name.c_str(), contestant.name.c_str(), wrong_from_rad);
}

void pass_all() {
  std::vector<Contestant> contestants{kinloop_contestant()};
  for (const Contestant& formulation : kinloop_formulations()) contestants.push_back(formulation);
  for (const Contestant& peer : find_peers()) contestants.push_back(peer);
  CALLGRIND_START_INSTRUMENTATION;
  for (const Cut cut : {Cut::kAtGround, Cut::kAtTop})
    for (const Contestant& contestant : contestants) pass(contestant, n_four_bar(kWindows, cut));
}

}  // namespace
}  // namespace kinloop::bench

int main() {
  kinloop::bench::pass_all();
  return 0;
}

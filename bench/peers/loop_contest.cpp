// Accelerations are compared at rest and in motion; then the contestants are timed in turns.
#include "bench/peers/loop_contest.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/peers/closed_mechanisms.hpp"
#include "bench/peers/difference.hpp"
#include "bench/peers/neutral_kinematics.hpp"

namespace kinloop::bench {
namespace {

constexpr int kStateCount = 4;
constexpr double kDt_s = 0.001;
constexpr double kBound = 1e-6;  // for those that solve loops exactly

std::vector<ClosedMechanism> closed_mechanisms() {
  std::vector<ClosedMechanism> all;
  for (const Cut cut : {Cut::kAtGround, Cut::kAtTop})
    for (const int windows : {1, 5, 10, 40}) all.push_back(n_four_bar_with_states(windows, cut, kStateCount));
  all.push_back(stewart_platform_with_states(kStateCount));
  return all;
}

// MuJoCo's constraints are soft; DART's act on velocities at the end of a step and so leave out what their directions
// change by during it.
bool is_exact(const std::string& contestant) { return contestant != "mujoco" && contestant != "dart"; }

std::vector<std::vector<double>> accelerations_of(Peer& peer, const std::vector<MotionState>& states) {
  peer.load_states(states);
  std::vector<std::vector<double>> all;
  for (int k = 0; k < kStateCount; ++k) {
    all.emplace_back(states.front().v.size());
    peer.forward_dynamics(k);
    peer.read_acceleration(all.back());
  }
  return all;
}

double difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, max_difference(a[k], b[k]));
  return largest;
}

void compare(const ClosedMechanism& closed, Peer& first, Peer& peer, LoopEntry& entry) {
  const std::vector<MotionState> resting = at_rest(closed.states);
  entry.rest_difference = difference(accelerations_of(first, resting), accelerations_of(peer, resting));
  entry.difference = difference(accelerations_of(first, closed.states), accelerations_of(peer, closed.states));
  peer.set_state(0);
  for (int k = 0; k < kOpenSteps; ++k) peer.step(kDt_s);
  MotionState reached;
  peer.read_state(reached);
  entry.gap_m = loop_gap_m(closed.mechanism, reached);
}

void print(const LoopRow& row) {
  std::printf("\n%s: speeds %d, loops %d%s\n  %-18s %12s %8s %12s %8s   %9s %9s %9s\n", row.mechanism.c_str(),
              row.speeds, row.loops, row.agrees ? "" : "  DISAGREES", "", "fd ns", "x", "step ns", "x", "diff rest",
              "diff", "open m");
  const Entry& ours = row.entries.front().times;
  for (const LoopEntry& entry : row.entries)
    std::printf("  %-18s %12.0f %8.2f %12.0f %8.2f   %9.1e %9.1e %9.1e\n", entry.contestant.c_str(),
                entry.times.forward_dynamics_ns, entry.times.forward_dynamics_ns / ours.forward_dynamics_ns,
                entry.times.step_ns, entry.times.step_ns / ours.step_ns, entry.rest_difference, entry.difference,
                entry.gap_m);
  std::fflush(stdout);
}

}  // namespace

std::vector<LoopRow> run_loop_contest(const std::vector<Contestant>& contestants, Effort effort,
                                      const std::string& filter) {
  std::printf(
      "\nclosed loops: ns, minimum over the batches; x = time / time of %s; diff = largest relative difference of "
      "accelerations from its, at rest and in motion; open = distance by which loops are open after %d steps\n",
      contestants.front().name.c_str(), kOpenSteps);
  std::vector<LoopRow> rows;
  for (const ClosedMechanism& closed : closed_mechanisms()) {
    const Mechanism& mechanism = closed.mechanism;
    if (mechanism.name.find(filter) == std::string::npos) continue;
    LoopRow row{mechanism.name, velocity_count(mechanism), static_cast<int>(mechanism.loops.size()), {}};
    std::vector<std::unique_ptr<Peer>> peers;
    for (const Contestant& contestant : contestants) {
      std::unique_ptr<Peer> peer = contestant.build(mechanism);
      if (!peer) continue;
      LoopEntry entry;
      entry.contestant = contestant.name;
      entry.exact = is_exact(contestant.name);
      compare(closed, peers.empty() ? *peer : *peers.front(), *peer, entry);
      if (entry.exact && !(std::max(entry.rest_difference, entry.difference) <= kBound)) row.agrees = false;
      row.entries.push_back(entry);
      peers.push_back(std::move(peer));
    }
    std::vector<Peer*> contenders;
    for (const auto& peer : peers) contenders.push_back(peer.get());
    std::vector<Entry> times(peers.size());
    measure_forward_dynamics(contenders, kStateCount, effort, times);
    measure_steps(contenders, kStateCount, kDt_s, effort, times);
    for (std::size_t p = 0; p < times.size(); ++p) row.entries[p].times = times[p];
    print(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json to_json(const std::vector<LoopRow>& rows) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const LoopRow& row : rows) {
    nlohmann::ordered_json line{
        {"name", row.mechanism}, {"speeds", row.speeds}, {"loops", row.loops}, {"agrees", row.agrees}};
    for (const LoopEntry& entry : row.entries)
      line["contestants"][entry.contestant] = {{"forward_dynamics_ns", entry.times.forward_dynamics_ns},
                                               {"step_ns", entry.times.step_ns},
                                               {"rest_difference", entry.rest_difference},
                                               {"difference", entry.difference},
                                               {"gap_m", entry.gap_m}};
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace kinloop::bench

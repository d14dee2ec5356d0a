// Accelerations and a few steps are compared before anything is timed.
#include "bench/peers/tree_contest.hpp"

#include <algorithm>

#include "bench/peers/difference.hpp"
#include "bench/peers/mechanisms.hpp"

namespace kinloop::bench {
namespace {

constexpr int kStateCount = 4;
constexpr double kDt_s = 0.001;
constexpr int kComparedSteps = 10;

// Relative to the largest acceleration. The condition number of a chain's joint-space inertia grows with about the
// fourth power of its length; MuJoCo factorizes that matrix and differs by 1e-8 at 300 bodies from the articulated-body
// methods, which agree among themselves to 3e-13.
double acceleration_bound(const Mechanism& mechanism) { return mechanism.bodies.size() > 100 ? 1e-7 : 1e-8; }

// With a free root the peers' semi-implicit steps differ at second order in dt (velocity in body or ground axes).
double angle_bound(const Mechanism& mechanism) {
  return mechanism.bodies.front().joint == JointKind::kFree ? 1e-4 : 10 * acceleration_bound(mechanism);
}

// Largest relative difference of accelerations and of angles after some steps, from the first contestant.
void compare(const Mechanism& mechanism, const std::vector<std::unique_ptr<Peer>>& peers, std::vector<Entry>& entries) {
  const auto nv = static_cast<std::size_t>(velocity_count(mechanism));
  const int free_coordinates = mechanism.bodies.front().joint == JointKind::kFree ? 7 : 0;
  MotionState reached;
  for (int index = 0; index < kStateCount; ++index) {
    std::vector<double> first_vdot, first_angles;
    for (std::size_t p = 0; p < peers.size(); ++p) {
      std::vector<double> vdot(nv), angles;
      peers[p]->forward_dynamics(index);
      peers[p]->read_acceleration(vdot);
      peers[p]->set_state(index);
      for (int k = 0; k < kComparedSteps; ++k) peers[p]->step(kDt_s);
      peers[p]->read_state(reached);
      angles.assign(reached.q.begin() + free_coordinates, reached.q.end());
      if (p == 0) {
        first_vdot = vdot;
        first_angles = angles;
      }
      entries[p].acceleration_difference =
          std::max(entries[p].acceleration_difference, max_difference(first_vdot, vdot));
      entries[p].angle_difference = std::max(entries[p].angle_difference, max_difference(first_angles, angles));
    }
  }
}

}  // namespace

Report run_tree_contest(const std::vector<Contestant>& contestants, Effort effort, const std::string& filter) {
  Report report;
  for (const Contestant& contestant : contestants)
    report.contestants.push_back({contestant.name, contestant.configuration});
  print_header(report);
  for (const Mechanism& mechanism : benchmark_mechanisms()) {
    if (mechanism.name.find(filter) == std::string::npos) continue;
    const std::vector<MotionState> states = random_states(mechanism, kStateCount, 7);
    std::vector<std::unique_ptr<Peer>> peers;
    for (const Contestant& contestant : contestants) {
      peers.push_back(contestant.build(mechanism));
      peers.back()->load_states(states);
    }
    Row row{mechanism.name, velocity_count(mechanism), std::vector<Entry>(peers.size())};
    compare(mechanism, peers, row.entries);
    for (const Entry& entry : row.entries)
      if (!(entry.acceleration_difference <= acceleration_bound(mechanism)) ||
          !(entry.angle_difference <= angle_bound(mechanism)))
        row.agrees = false;

    std::vector<Peer*> contenders;
    for (const auto& peer : peers) contenders.push_back(peer.get());
    measure_forward_dynamics(contenders, kStateCount, effort, row.entries);
    measure_steps(contenders, kStateCount, kDt_s, effort, row.entries);
    print_row(report, row);
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace kinloop::bench

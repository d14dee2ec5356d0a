// Owns the benchmark beside the peers: first that all agree, then how long each takes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/peers/contestants.hpp"
#include "bench/peers/mechanisms.hpp"
#include "bench/peers/peer.hpp"
#include "bench/peers/report.hpp"
#include "bench/peers/timing.hpp"

namespace kinloop::bench {
namespace {

constexpr int kStateCount = 4;
constexpr double kDt_s = 0.001;
constexpr int kComparedSteps = 10;

struct Options {
  Effort effort = Effort::kFull;
  std::string filter;
  std::string json_path;
};

// Relative to the largest acceleration. The condition number of a chain's joint-space inertia grows with about the
// fourth power of its length; MuJoCo factorizes that matrix and differs by 1e-8 at 300 bodies from the articulated-body
// methods, which agree among themselves to 3e-13.
double acceleration_bound(const Mechanism& mechanism) { return mechanism.bodies.size() > 100 ? 1e-7 : 1e-8; }

// With a free root the peers' semi-implicit steps differ at second order in dt (velocity in body or ground axes).
double angle_bound(const Mechanism& mechanism) {
  return mechanism.bodies.front().joint == JointKind::kFree ? 1e-4 : 10 * acceleration_bound(mechanism);
}

double max_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, scale = 1.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    largest = std::max(largest, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(a[i]));
  }
  return largest / scale;
}

// Largest relative difference of accelerations and of angles after some steps, from the first contestant.
void compare(const Mechanism& mechanism, const std::vector<std::unique_ptr<Peer>>& peers, std::vector<Entry>& entries) {
  const auto nv = static_cast<std::size_t>(velocity_count(mechanism));
  const std::size_t free_bodies = mechanism.bodies.front().joint == JointKind::kFree ? 1 : 0;
  for (int index = 0; index < kStateCount; ++index) {
    std::vector<double> first_vdot, first_angles;
    for (std::size_t p = 0; p < peers.size(); ++p) {
      std::vector<double> vdot(nv), angles(mechanism.bodies.size() - free_bodies);
      peers[p]->forward_dynamics(index);
      peers[p]->read_acceleration(vdot);
      peers[p]->set_state(index);
      for (int k = 0; k < kComparedSteps; ++k) peers[p]->step(kDt_s);
      peers[p]->read_angles(angles);
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
  const std::vector<Contestant> all = find_contestants();
  if (all.empty()) {
    std::fprintf(stderr, "there is no contestant to measure\n");
    return 2;
  }
  Report report;
  for (const Contestant& contestant : all) report.contestants.push_back({contestant.name, contestant.configuration});
  print_header(report);

  bool all_agree = true;
  for (const Mechanism& mechanism : benchmark_mechanisms()) {
    if (mechanism.name.find(options.filter) == std::string::npos) continue;
    const std::vector<MotionState> states = random_states(mechanism, kStateCount, 7);
    std::vector<std::unique_ptr<Peer>> peers;
    for (const Contestant& contestant : all) {
      peers.push_back(contestant.build(mechanism));
      peers.back()->load_states(states);
    }
    Row row{mechanism.name, velocity_count(mechanism), std::vector<Entry>(peers.size())};
    compare(mechanism, peers, row.entries);
    for (const Entry& entry : row.entries)
      if (!(entry.acceleration_difference <= acceleration_bound(mechanism)) ||
          !(entry.angle_difference <= angle_bound(mechanism)))
        row.agrees = all_agree = false;

    std::vector<Peer*> contenders;
    for (const auto& peer : peers) contenders.push_back(peer.get());
    measure_forward_dynamics(contenders, kStateCount, options.effort, row.entries);
    measure_steps(contenders, kStateCount, kDt_s, options.effort, row.entries);
    print_row(report, row);
    report.rows.push_back(std::move(row));
  }
  if (!options.json_path.empty() && !write_json(report, options.json_path)) return 2;
  if (!all_agree) std::fprintf(stderr, "the contestants do not agree; the times above compare different answers\n");
  return all_agree ? 0 : 1;
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

// Owns the measurement: peers alternate batch by batch, so that a disturbance of the machine meets all of them.
#include "bench/peers/timing.hpp"

#include <algorithm>
#include <chrono>

namespace kinloop::bench {
namespace {

// Long enough for the clock's resolution to vanish, short enough to fit between two interruptions.
constexpr double kBatch_ns = 100e3;

// A batch of steps starts from a given state again, so no contestant drifts into another regime: at most 50 ms.
constexpr int kMaxStepsPerBatch = 50;

template <class Work>
double time_ns(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

// How many batches a contestant gets: a slow one fewer, when it has used its time.
class Allowance {
 public:
  explicit Allowance(Effort effort)
      : batches_(effort == Effort::kQuick ? 60 : 600), time_ns_(effort == Effort::kQuick ? 0.2e9 : 2e9) {}

  int batches() const { return batches_; }
  bool is_used_up(int batch, double spent_ns) const { return batch >= kFewestBatches && spent_ns > time_ns_; }

 private:
  static constexpr int kFewestBatches = 3;
  int batches_;
  double time_ns_;
};

}  // namespace

void measure_forward_dynamics(const std::vector<Peer*>& peers, int state_count, Effort effort,
                              std::vector<Entry>& entries) {
  std::vector<int> repeats;
  for (Peer* peer : peers) {
    const auto once = [&] {
      for (int index = 0; index < state_count; ++index) peer->forward_dynamics(index);
    };
    once();  // warm
    repeats.push_back(std::max(1, static_cast<int>(kBatch_ns / std::max(1.0, time_ns(once)))));
  }
  const Allowance allowance(effort);
  std::vector<double> spent_ns(peers.size(), 0.0);
  for (int batch = 0; batch < allowance.batches(); ++batch)
    for (std::size_t p = 0; p < peers.size(); ++p) {
      if (allowance.is_used_up(batch, spent_ns[p])) continue;
      // The contestant before has filled the caches with its own data; a long batch must not gain by that.
      peers[p]->forward_dynamics(state_count - 1);
      // Consecutive evaluations are of different states: nothing that a library caches can be used again.
      const double ns = time_ns([&] {
                          for (int k = 0; k < repeats[p]; ++k)
                            for (int index = 0; index < state_count; ++index) peers[p]->forward_dynamics(index);
                        }) /
                        (repeats[p] * state_count);
      spent_ns[p] += ns * repeats[p] * state_count;
      double& best_ns = entries[p].forward_dynamics_ns;
      if (best_ns == 0.0 || ns < best_ns) best_ns = ns;
    }
}

void measure_steps(const std::vector<Peer*>& peers, int state_count, double dt_s, Effort effort,
                   std::vector<Entry>& entries) {
  std::vector<int> repeats;
  for (Peer* peer : peers) {
    peer->set_state(0);
    peer->step(dt_s);  // warm
    const double ns = time_ns([&] { peer->step(dt_s); });
    repeats.push_back(std::clamp(static_cast<int>(kBatch_ns / std::max(1.0, ns)), 4, kMaxStepsPerBatch));
  }
  const Allowance allowance(effort);
  std::vector<double> spent_ns(peers.size(), 0.0);
  for (int batch = 0; batch < allowance.batches(); ++batch)
    for (std::size_t p = 0; p < peers.size(); ++p) {
      if (allowance.is_used_up(batch, spent_ns[p])) continue;
      peers[p]->set_state(batch % state_count);
      peers[p]->step(dt_s);
      const double ns = time_ns([&] {
                          for (int k = 0; k < repeats[p]; ++k) peers[p]->step(dt_s);
                        }) /
                        repeats[p];
      spent_ns[p] += ns * repeats[p];
      double& best_ns = entries[p].step_ns;
      if (best_ns == 0.0 || ns < best_ns) best_ns = ns;
    }
}

}  // namespace kinloop::bench

// Owns the timing of batches: nanoseconds a step of one state, by the single path, in lanes, in lanes by two threads,
// and by the peers that are installed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "bench/chain.hpp"
#include "bench/peers/closed_mechanisms.hpp"
#include "bench/peers/contestants.hpp"
#include "bench/peers/mechanisms.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/batch/batch.hpp"
#include "core/constraints/compile.hpp"
#include "core/integrators/integrator.hpp"
#include "services/base/thread_crew.hpp"
#include "services/files/load_model.hpp"

namespace kinloop {
namespace {

constexpr double kDt_s = 1e-3;
constexpr int kStates = 64;
constexpr int kStepsEach = 20;
constexpr int kStepsOfCrew = 500;  // threads that wake up take their time
constexpr int kRoundsOfCrew = 10;
int rounds = 60;

/// Of this thread alone: a busy machine changes it less.
double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}
double wall_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class SinglePath {
 public:
  SinglePath(const Model& model, const std::string& integrator)
      : model_(model),
        dynamics_(make_dynamics("auto", model).value()),
        integrator_(make_integrator(integrator, model).value()),
        loads_(model),
        ws_(model) {}

  void step(State& state) { integrator_->step(model_, loads_, kDt_s, *dynamics_, state, ws_); }

 private:
  const Model& model_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Integrator> integrator_;
  Loads loads_;
  Workspace ws_;
};

/// Lanes, and the single path for states that they leave.
class Lanes {
 public:
  Lanes(const Model& model, const std::string& integrator)
      : single_(model, integrator), tau_(VectorX::Zero(model.nv())) {
    BatchSettings settings;
    settings.integrator = integrator;
    settings.dt_s = kDt_s;
    auto made = make_batch(model, settings);
    if (!made) {
      why_not_ = made.error().what;
      return;
    }
    batch_ = std::move(made).value();
    const auto width = static_cast<std::size_t>(batch_->width());
    group_.resize(width);
    forces_.assign(width, tau_.data());
    done_.resize(width);
  }

  const std::string& why_not() const { return why_not_; }
  std::size_t width() const { return group_.size(); }
  long long alone() const { return alone_; }

  /// As many as there are lanes.
  void step(State* states) {
    for (std::size_t i = 0; i < group_.size(); ++i) group_[i] = states + i;
    batch_->step(group_, forces_, done_);
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (done_[i] != 0) continue;
      ++alone_;
      single_.step(states[i]);
    }
  }

 private:
  SinglePath single_;
  VectorX tau_;
  std::unique_ptr<Batch> batch_;
  std::string why_not_;
  std::vector<State*> group_;
  std::vector<const double*> forces_;
  std::vector<char> done_;
  long long alone_ = 0;
};

std::vector<State> states_of(const Model& model, const std::string& integrator) {
  SinglePath path(model, integrator);
  std::vector<State> states;
  State state(model);
  for (int i = 0; i < kStates; ++i) {
    states.push_back(state);
    for (int k = 0; k < 3; ++k) path.step(state);
  }
  return states;
}

/// By a crew: each job is one group of lanes through all steps.
double crew_ns(const Model& model, const std::string& integrator, const std::vector<State>& start, int threads) {
  ThreadCrew crew(threads);
  std::vector<std::unique_ptr<Lanes>> lanes;
  for (int i = 0; i < threads; ++i) lanes.push_back(std::make_unique<Lanes>(model, integrator));
  const std::size_t width = lanes[0]->width();
  const int steps_each = rounds > 1 ? kStepsOfCrew : kStepsEach;
  double best = 1e300;
  for (int r = 0; r < std::min(rounds, kRoundsOfCrew); ++r) {
    std::vector<State> states = start;
    const double before = wall_ns();
    crew.run(static_cast<int>(start.size() / width), [&](int worker, int group) {
      const SteppingMode mode;
      for (int k = 0; k < steps_each; ++k) {
        lanes[static_cast<std::size_t>(worker)]->step(&states[static_cast<std::size_t>(group) * width]);
      }
    });
    best = std::min(best, (wall_ns() - before) / (kStates * static_cast<double>(steps_each)));
  }
  return best;
}

void measure(const std::string& name, const Model& model, const std::string& integrator) {
  const std::vector<State> start = states_of(model, integrator);
  SinglePath path(model, integrator);
  Lanes lanes(model, integrator);
  if (!lanes.why_not().empty()) {
    std::printf("%-18s %-20s no lanes: %s\n", name.c_str(), integrator.c_str(), lanes.why_not().c_str());
    return;
  }
  double single_ns = 1e300;
  double lanes_ns = 1e300;
  for (int r = 0; r < rounds; ++r) {
    std::vector<State> states = start;
    double before = thread_ns();
    for (State& state : states) {
      for (int k = 0; k < kStepsEach; ++k) path.step(state);
    }
    single_ns = std::min(single_ns, (thread_ns() - before) / (kStates * kStepsEach));
    states = start;
    before = thread_ns();
    for (std::size_t i = 0; i < states.size(); i += lanes.width()) {
      for (int k = 0; k < kStepsEach; ++k) lanes.step(&states[i]);
    }
    lanes_ns = std::min(lanes_ns, (thread_ns() - before) / (kStates * kStepsEach));
  }
  const double one_ns = crew_ns(model, integrator, start, 1);
  const double two_ns = crew_ns(model, integrator, start, 2);
  const double alone = static_cast<double>(lanes.alone()) / (static_cast<double>(rounds) * kStates * kStepsEach);
  std::printf("%-18s %-20s single %8.0f  lanes %8.0f  %5.2f times  two threads %8.0f  %5.2f times  alone %5.1f %%\n",
              name.c_str(), integrator.c_str(), single_ns, lanes_ns, single_ns / lanes_ns, two_ns, one_ns / two_ns,
              100.0 * alone);
  std::fflush(stdout);
}

void measure_peers(const bench::Mechanism& mechanism, const std::vector<bench::MotionState>& states) {
  for (const bench::Contestant& contestant : bench::find_peers()) {
    const std::unique_ptr<bench::Peer> peer = contestant.build(mechanism);
    if (!peer) continue;
    peer->load_states(states);
    double best = 1e300;
    for (int r = 0; r < rounds; ++r) {
      double sum = 0.0;
      for (int i = 0; i < static_cast<int>(states.size()); ++i) {
        peer->set_state(i);
        const double before = thread_ns();
        for (int k = 0; k < kStepsEach; ++k) peer->step(kDt_s);
        sum += thread_ns() - before;
      }
      best = std::min(best, sum / (static_cast<double>(states.size()) * kStepsEach));
    }
    std::printf("%-18s %-20s %s %8.0f\n", mechanism.name.c_str(), "semi_implicit_euler", contestant.name.c_str(), best);
    std::fflush(stdout);
  }
}

int run() {
  const SteppingMode mode;
  std::printf("ns a step of 1 ms of one state, least of %d rounds; threads by the clock on the wall\n", rounds);
  std::vector<std::pair<std::string, Model>> models;
  models.emplace_back("chain7", compile(bench_chain(7)).value());
  for (const char* name : {"arm7", "cart_pole", "four_bar", "excavator", "stewart_platform", "n_four_bar"}) {
    auto loaded = load_model(std::string(KINLOOP_SOURCE_DIR "/configs/models/") + name + ".yaml");
    if (!loaded) {
      std::fprintf(stderr, "%s cannot be loaded\n", name);
      return 2;
    }
    models.emplace_back(name, std::move(loaded).value().model);
  }
  for (const auto& [name, model] : models) {
    for (const char* integrator : {"semi_implicit_euler", "rk4"}) measure(name, model, integrator);
  }
  const bench::Mechanism chain = bench::serial_chain(7, bench::Frames::kAligned);
  measure_peers(chain, bench::random_states(chain, 8, 1));
  const bench::ClosedMechanism window = bench::n_four_bar_with_states(1, bench::Cut::kAtGround, 8);
  measure_peers(window.mechanism, window.states);
  const bench::ClosedMechanism hexapod = bench::stewart_platform_with_states(8);
  measure_peers(hexapod.mechanism, hexapod.states);
  return 0;
}

}  // namespace
}  // namespace kinloop

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--smoke") == 0) {
    kinloop::rounds = 1;
  } else if (argc > 1) {
    std::fprintf(stderr, "usage: bench_batch [--smoke]\n");
    return 2;
  }
  return kinloop::run();
}

// Kinloop as a contestant, through the same objects that `kinloop sim` uses.
#include <algorithm>
#include <tuple>
#include <utility>

#include "bench/peers/contestants.hpp"
#include "bench/peers/model_spec_of.hpp"
#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"

namespace kinloop::bench {
namespace {

class KinloopPeer final : public Peer {
 public:
  KinloopPeer(Model model, std::string_view formulation)
      : model_(std::move(model)),
        state_(model_),
        loads_(model_),
        ws_(model_),
        dynamics_(make_dynamics(formulation, model_).value()),
        integrator_(make_integrator("semi_implicit_euler", model_).value()) {}

  void load_states(const std::vector<MotionState>& states) override {
    states_.clear();
    for (const MotionState& state : states) {
      auto& [own, loads] = states_.emplace_back(State(model_), Loads(model_));
      std::copy(state.q.begin(), state.q.end(), own.q().data());
      std::copy(state.v.begin(), state.v.end(), own.v().data());
      std::copy(state.tau.begin(), state.tau.end(), loads.tau.data());
    }
  }

  void forward_dynamics(int index) override {  // a State is an argument here, so there is nothing to write
    const auto& [state, loads] = states_[static_cast<std::size_t>(index)];
    accelerations(model_, state, loads, *dynamics_, ws_);
  }

  void set_state(int index) override { std::tie(state_, loads_) = states_[static_cast<std::size_t>(index)]; }

  bool step(double dt_s) override { return is_done(integrator_->step(model_, loads_, dt_s, *dynamics_, state_, ws_)); }

  bool use_rk4() override {
    integrator_ = make_integrator("rk4", model_).value();
    return true;
  }

  void read_acceleration(std::vector<double>& vdot) const override {
    vdot.assign(ws_.vdot.data(), ws_.vdot.data() + model_.nv());
  }

  void read_state(MotionState& state) const override {
    state.q.assign(state_.q().begin(), state_.q().end());
    state.v.assign(state_.v().begin(), state_.v().end());
  }

 private:
  Model model_;
  State state_;
  Loads loads_;
  Workspace ws_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Integrator> integrator_;
  std::vector<std::pair<State, Loads>> states_;
};

}  // namespace

Contestant kinloop_contestant() {
  return {"kinloop", "Kinloop: auto; step: semi_implicit_euler, loops closed by projection to 1e-11",
          [](const Mechanism& mechanism) -> std::unique_ptr<Peer> {
            return std::make_unique<KinloopPeer>(compile(model_spec_of(mechanism)).value(), "auto");
          }};
}

std::vector<Contestant> kinloop_formulations() {
  std::vector<Contestant> all;
  for (const DynamicsKind& kind : dynamics_kinds()) {
    all.push_back({std::string(kind.name), "Kinloop: " + std::string(kind.summary),
                   [kind](const Mechanism& mechanism) -> std::unique_ptr<Peer> {
                     Model model = compile(model_spec_of(mechanism)).value();
                     if (!kind.refusal(model).empty()) return nullptr;
                     return std::make_unique<KinloopPeer>(std::move(model), kind.name);
                   }});
  }
  return all;
}

}  // namespace kinloop::bench

// Kinloop as a contestant, through the same objects that `kinloop sim` uses.
#include <algorithm>
#include <tuple>
#include <utility>

#include "bench/peers/contestants.hpp"
#include "core/dynamics/dynamics.hpp"
#include "core/integrators/integrator.hpp"
#include "core/model/model.hpp"

namespace kinloop::bench {
namespace {

Matrix3 matrix(const Mat3& rows) {
  Matrix3 m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  return m;
}

Vector3 vector(const Vec3& a) { return {a[0], a[1], a[2]}; }

ModelSpec describe(const Mechanism& mechanism) {
  ModelSpec spec;
  spec.name = mechanism.name;
  spec.gravity = vector(mechanism.gravity_W_mps2);
  for (const RigidBody& body : mechanism.bodies) {
    spec.bodies.push_back({body.name, body.mass_kg, vector(body.com_B_m), matrix(body.inertia_B_kgm2), {}});
    JointSpec joint;
    joint.name = "joint_" + body.name;
    joint.type = body.joint == JointKind::kFree ? JointType::kFree : JointType::kRevolute;
    joint.predecessor = body.parent < 0 ? kGround : mechanism.bodies[static_cast<std::size_t>(body.parent)].name;
    joint.successor = body.name;
    joint.frame_pred = {matrix(body.R_PA), vector(body.p_PA_m)};
    joint.frame_succ = {matrix(body.R_BJ), vector(body.p_BJ_m)};
    spec.joints.push_back(joint);
  }
  return spec;
}

class KinloopPeer final : public Peer {
 public:
  explicit KinloopPeer(const Mechanism& mechanism)
      : model_(compile(describe(mechanism)).value()),
        state_(model_),
        loads_(model_),
        ws_(model_),
        dynamics_(make_dynamics("auto", model_).value()),
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

  void step(double dt_s) override { integrator_->step(model_, loads_, dt_s, *dynamics_, state_, ws_); }

  void read_acceleration(std::vector<double>& vdot) const override {
    vdot.assign(ws_.vdot.data(), ws_.vdot.data() + model_.nv());
  }

  void read_angles(std::vector<double>& angles_rad) const override {
    angles_rad.clear();
    for (int k = 1; k < model_.body_count(); ++k) {
      if (model_.body(k).joint == JointType::kRevolute) angles_rad.push_back(state_.q()[model_.body(k).q]);
    }
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
  return {"kinloop", "Kinloop: auto (rfda); step: semi_implicit_euler",
          [](const Mechanism& mechanism) -> std::unique_ptr<Peer> { return std::make_unique<KinloopPeer>(mechanism); }};
}

}  // namespace kinloop::bench

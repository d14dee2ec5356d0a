// Owns the MuJoCo contestant: the mechanism as an mjModel, and the shortest way to qacc that its API offers.
#include <mujoco/mujoco.h>

#include <cstring>

#include "bench/peers/mujoco_model.hpp"
#include "bench/peers/peer.hpp"

namespace kinloop::bench {
namespace {

struct NativeState {
  std::vector<double> qpos, qvel, qfrc_applied;
};

// Where a body's coordinates stand in qpos and qvel: MuJoCo numbers bodies depth first.
struct Slot {
  int q = 0, v = 0;
  std::size_t nq = 1, nv = 1;
};

class MujocoPeer final : public Peer {
 public:
  explicit MujocoPeer(const Mechanism& mechanism) : model_(load_model(mechanism)), data_(mj_makeData(model_)) {
    for (const RigidBody& body : mechanism.bodies) {
      const int joint = mj_name2id(model_, mjOBJ_JOINT, body.name.c_str());
      slots_.push_back({model_->jnt_qposadr[joint], model_->jnt_dofadr[joint],
                        static_cast<std::size_t>(position_count(body)),
                        static_cast<std::size_t>(velocity_count(body))});
    }
  }
  MujocoPeer(const MujocoPeer&) = delete;
  MujocoPeer& operator=(const MujocoPeer&) = delete;
  ~MujocoPeer() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  // MuJoCo's free joint has our layout: linear velocity in the world's axes, angular in the body's.
  void load_states(const std::vector<MotionState>& states) override {
    states_.clear();
    for (const MotionState& state : states) {
      NativeState native{std::vector<double>(static_cast<std::size_t>(model_->nq)),
                         std::vector<double>(static_cast<std::size_t>(model_->nv)),
                         std::vector<double>(static_cast<std::size_t>(model_->nv))};
      const double *q = state.q.data(), *v = state.v.data(), *tau = state.tau.data();
      for (const Slot& slot : slots_) {
        std::memcpy(&native.qpos[static_cast<std::size_t>(slot.q)], q, slot.nq * sizeof(double));
        std::memcpy(&native.qvel[static_cast<std::size_t>(slot.v)], v, slot.nv * sizeof(double));
        std::memcpy(&native.qfrc_applied[static_cast<std::size_t>(slot.v)], tau, slot.nv * sizeof(double));
        q += slot.nq, v += slot.nv, tau += slot.nv;
      }
      states_.push_back(std::move(native));
    }
  }

  void set_state(int index) override {
    const NativeState& state = states_[static_cast<std::size_t>(index)];
    mju_copy(data_->qpos, state.qpos.data(), model_->nq);
    mju_copy(data_->qvel, state.qvel.data(), model_->nv);
    mju_copy(data_->qfrc_applied, state.qfrc_applied.data(), model_->nv);
  }

  void forward_dynamics(int index) override {
    set_state(index);
    evaluate();
  }

  // On trees mj_step would add checks, cameras, transmissions and empty constraint stages to the same integrator.
  bool step(double dt_s) override {
    model_->opt.timestep = dt_s;
    if (model_->opt.integrator == mjINT_RK4) {
      mj_step(model_, data_);
    } else {
      evaluate();
      mj_Euler(model_, data_);
    }
    return data_->warning[mjWARN_BADQACC].number == 0;
  }

  bool use_rk4() override {
    model_->opt.integrator = mjINT_RK4;
    return true;
  }

  void read_acceleration(std::vector<double>& vdot) const override {
    std::size_t out = 0;
    for (const Slot& slot : slots_)
      for (std::size_t k = 0; k < slot.nv; ++k) vdot[out++] = data_->qacc[static_cast<std::size_t>(slot.v) + k];
  }

  void read_state(MotionState& state) const override {
    state.q.clear();
    state.v.clear();
    for (const Slot& slot : slots_) {
      state.q.insert(state.q.end(), data_->qpos + slot.q, data_->qpos + slot.q + slot.nq);
      state.v.insert(state.v.end(), data_->qvel + slot.v, data_->qvel + slot.v + slot.nv);
    }
  }

 private:
  // The stages of mj_forward that the smooth dynamics need, in its order (20 % faster than it on 2 bodies, 4 % on 30):
  // inertia by composite bodies, sparse factorization, bias by recursive Newton-Euler, one solve.
  void evaluate() {
    if (model_->neq > 0) return mj_forward(model_, data_);
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_crb(model_, data_);
    mj_factorM(model_, data_);
    mj_comVel(model_, data_);
    mj_rne(model_, data_, 0, data_->qfrc_bias);
    mju_sub(data_->qfrc_smooth, data_->qfrc_applied, data_->qfrc_bias, model_->nv);
    mj_solveM(model_, data_, data_->qacc, data_->qfrc_smooth, 1);
  }

  mjModel* model_;
  mjData* data_;
  std::vector<Slot> slots_;
  std::vector<NativeState> states_;
};

}  // namespace

}  // namespace kinloop::bench

extern "C" [[gnu::visibility("default")]] kinloop::bench::Contestant* kinloop_bench_peer() {
  using namespace kinloop::bench;
  return new Contestant{"mujoco",
                        std::string("MuJoCo ") + mj_versionString() +
                            ": kinematics, comPos, crb, factorM, comVel, rne, solveM, or mj_forward with connect "
                            "constraints (Newton's solver, impedance 0.9999, 2 ms); step adds mj_Euler",
                        [](const Mechanism& mechanism) { return std::make_unique<MujocoPeer>(mechanism); }};
}

// Owns the MuJoCo contestant: the mechanism as an mjModel, and the shortest way to qacc that its API offers.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>

#include "bench/peers/peer.hpp"
#include "bench/peers/small_math.hpp"
#include "core/base/require.hpp"

namespace kinloop::bench {
namespace {

struct NativeState {
  std::vector<double> qpos, qvel, qfrc_applied;
};

// Where a body's coordinates stand in qpos and qvel: MuJoCo numbers bodies depth first.
struct Slot {
  int q = 0, v = 0;
  bool is_free = false;
};

// Only the topology travels as text, and as URDF because it is flat: the XML parser (Debian's tinyxml2 9) refuses
// nesting beyond 100, which MJCF needs for a chain of 100. The numbers here are placeholders without special values.
std::string urdf_of(const Mechanism& mechanism) {
  std::string xml = "<robot name=\"m\"><link name=\"world\"/>\n";
  for (const RigidBody& body : mechanism.bodies) {
    const std::string parent = body.parent < 0 ? "world" : mechanism.bodies[static_cast<std::size_t>(body.parent)].name;
    xml += "<link name=\"" + body.name + "\"><inertial><mass value=\"1\"/><origin xyz=\".1 .1 .1\"/>" +
           "<inertia ixx=\"1\" iyy=\"1.1\" izz=\"1.2\" ixy=\".01\" ixz=\".02\" iyz=\".03\"/></inertial></link>\n";
    xml += "<joint name=\"" + body.name + "\" type=\"" + (body.joint == JointKind::kFree ? "floating" : "continuous") +
           "\"><parent link=\"" + parent + "\"/><child link=\"" + body.name +
           "\"/><origin xyz=\".3 0 0\"/><axis xyz=\"0 0 1\"/></joint>\n";
  }
  return xml + "</robot>\n";
}

mjModel* load_topology(const Mechanism& mechanism) {
  const std::string xml = urdf_of(mechanism);
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.urdf", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "model.urdf")], xml.data(), xml.size());
  char error[500] = "";
  mjModel* model = mj_loadXML("model.urdf", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) std::fprintf(stderr, "MuJoCo: %s\n", error);
  require(model != nullptr, "MuJoCo accepts the generated model");
  return model;
}

// Numbers go into mjModel directly: MuJoCo's reader diagonalizes inertias to about 1e-9 only, which would show as a
// false disagreement of accelerations.
mjModel* load_model(const Mechanism& mechanism) {
  mjModel* model = load_topology(mechanism);
  require(model->nbody == static_cast<int>(mechanism.bodies.size()) + 1, "one MuJoCo body for each of ours");
  for (const RigidBody& body : mechanism.bodies) {
    const int b = mj_name2id(model, mjOBJ_BODY, body.name.c_str());
    const int j = mj_name2id(model, mjOBJ_JOINT, body.name.c_str());
    // Pose of B in its parent at angle zero: X_PA X_BJ^-1.
    const Mat3 R_PB = multiply(body.R_PA, transpose(body.R_BJ));
    const Vec3 p_PB = subtract(body.p_PA_m, multiply(R_PB, body.p_BJ_m));
    const Quaternion quat_PB = quaternion_of(R_PB);
    const PrincipalInertia principal = principal_inertia(body.inertia_B_kgm2);
    const Quaternion quat_BI = quaternion_of(principal.R_BI);
    const Vec3 axis{body.R_BJ[0][2], body.R_BJ[1][2], body.R_BJ[2][2]};
    model->body_mass[b] = body.mass_kg;
    mju_copy(model->body_pos + 3 * b, p_PB.data(), 3);
    mju_copy(model->body_quat + 4 * b, quat_PB.data(), 4);
    mju_copy(model->body_ipos + 3 * b, body.com_B_m.data(), 3);
    mju_copy(model->body_iquat + 4 * b, quat_BI.data(), 4);
    mju_copy(model->body_inertia + 3 * b, principal.moments_kgm2.data(), 3);
    if (body.joint == JointKind::kFree) continue;
    mju_copy(model->jnt_pos + 3 * j, body.p_BJ_m.data(), 3);
    mju_copy(model->jnt_axis + 3 * j, axis.data(), 3);
  }
  mju_copy(model->opt.gravity, mechanism.gravity_W_mps2.data(), 3);
  model->opt.integrator = mjINT_EULER;
  // Nothing but the smooth dynamics.
  model->opt.disableflags = mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_CONTACT |
                            mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR | mjDSBL_WARMSTART;
  mjData* data = mj_makeData(model);
  mj_setConst(model, data);  // subtree masses and the like follow from the numbers above
  mj_deleteData(data);
  return model;
}

class MujocoPeer final : public Peer {
 public:
  explicit MujocoPeer(const Mechanism& mechanism) : model_(load_model(mechanism)), data_(mj_makeData(model_)) {
    for (const RigidBody& body : mechanism.bodies) {
      const int joint = mj_name2id(model_, mjOBJ_JOINT, body.name.c_str());
      slots_.push_back({model_->jnt_qposadr[joint], model_->jnt_dofadr[joint], body.joint == JointKind::kFree});
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
        const std::size_t nq = slot.is_free ? 7 : 1, nv = slot.is_free ? 6 : 1;
        std::memcpy(&native.qpos[static_cast<std::size_t>(slot.q)], q, nq * sizeof(double));
        std::memcpy(&native.qvel[static_cast<std::size_t>(slot.v)], v, nv * sizeof(double));
        std::memcpy(&native.qfrc_applied[static_cast<std::size_t>(slot.v)], tau, nv * sizeof(double));
        q += nq, v += nv, tau += nv;
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

  // mj_step would add checks, cameras, transmissions and empty constraint stages to the same integrator.
  void step(double dt_s) override {
    model_->opt.timestep = dt_s;
    evaluate();
    mj_Euler(model_, data_);
  }

  void read_acceleration(std::vector<double>& vdot) const override {
    std::size_t out = 0;
    for (const Slot& slot : slots_)
      for (int k = 0; k < (slot.is_free ? 6 : 1); ++k) vdot[out++] = data_->qacc[slot.v + k];
  }

  void read_angles(std::vector<double>& angles_rad) const override {
    std::size_t out = 0;
    for (const Slot& slot : slots_)
      if (!slot.is_free) angles_rad[out++] = data_->qpos[slot.q];
  }

 private:
  // The stages of mj_forward that the smooth dynamics need, in its order (20 % faster than it on 2 bodies, 4 % on 30):
  // inertia by composite bodies, sparse factorization, bias by recursive Newton-Euler, one solve.
  void evaluate() {
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
                            ": kinematics, comPos, crb, factorM, comVel, rne, solveM; step adds mj_Euler",
                        [](const Mechanism& mechanism) { return std::make_unique<MujocoPeer>(mechanism); }};
}

// Owns the Simbody contestant: mobilizers, Ball constraints, loads handed to its acceleration operators.
// To be compiled without NDEBUG: Simbody's headers lay out CacheEntryInfo by it, and Debian's library has it unset.
#include <Simbody.h>

#include "bench/peers/peer.hpp"

namespace kinloop::bench {
namespace {

struct NativeState {
  SimTK::Vector q, u, mobility_forces;
};

SimTK::Vec3 to_simtk(const Vec3& a) { return {a[0], a[1], a[2]}; }

SimTK::Transform pose(const Mat3& R, const Vec3& p_m) {
  const SimTK::Mat33 m(R[0][0], R[0][1], R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]);
  // Taken as it is: orthogonalizing again would make it another mechanism in the last digits.
  return {SimTK::Rotation(m, true), to_simtk(p_m)};
}

class SimbodyPeer final : public Peer {
 public:
  explicit SimbodyPeer(const Mechanism& mechanism) : matter_(system_), gravity_(to_simtk(mechanism.gravity_W_mps2)) {
    for (const RigidBody& body : mechanism.bodies) {
      const Mat3& I = body.inertia_B_kgm2;
      const SimTK::Vec3 com = to_simtk(body.com_B_m);
      // Simbody asks for the inertia about the body's origin.
      const SimTK::Inertia about_com(I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]);
      const SimTK::MassProperties mass(body.mass_kg, com, about_com.shiftFromMassCenter(com, body.mass_kg));
      mobods_.push_back(mobilize(body_of(body.parent), body, mass));
      is_free_.push_back(body.joint == JointKind::kFree);
      has_quaternion_ = has_quaternion_ || is_free_.back();
    }
    for (const LoopClosure& loop : mechanism.loops)
      SimTK::Constraint::Ball(body_of(loop.predecessor), to_simtk(loop.p_PA_m), body_of(loop.successor),
                              to_simtk(loop.p_SB_m));
    has_loops_ = !mechanism.loops.empty();
    state_ = system_.realizeTopology();
    matter_.setUseEulerAngles(state_, false);
    system_.realizeModel(state_);
    system_.realize(state_, SimTK::Stage::Instance);
    body_forces_.resize(matter_.getNumBodies());
    body_forces_ = SimTK::SpatialVec(SimTK::Vec3(0), SimTK::Vec3(0));
    for (const SimTK::MobilizedBody& mobod : mobods_) {
      weights_.push_back(mobod.getBodyMass(state_) * gravity_);
      coms_.push_back(mobod.getBodyMassCenterStation(state_));
    }
  }

  // Simbody's Free mobilizer: quaternion then position; angular then linear velocity, both in the ground's axes.
  void load_states(const std::vector<MotionState>& states) override {
    states_.clear();
    for (const MotionState& state : states) {
      NativeState native{SimTK::Vector(state_.getNQ()), SimTK::Vector(state_.getNU()), SimTK::Vector(state_.getNU())};
      native.q = 0;
      const double *q = state.q.data(), *v = state.v.data(), *tau = state.tau.data();
      for (std::size_t i = 0; i < mobods_.size(); ++i) {
        const int at_q = mobods_[i].getFirstQIndex(state_), at_u = mobods_[i].getFirstUIndex(state_);
        if (!is_free_[i]) {
          for (int k = 0; k < mobods_[i].getNumU(state_); ++k) {
            native.q[at_q + k] = *q++;
            native.u[at_u + k] = *v++;
            native.mobility_forces[at_u + k] = *tau++;
          }
          continue;
        }
        const SimTK::Rotation R_AB(SimTK::Quaternion(q[3], q[4], q[5], q[6]));
        const SimTK::Vec3 omega = R_AB * SimTK::Vec3(v[3], v[4], v[5]),
                          torque = R_AB * SimTK::Vec3(tau[3], tau[4], tau[5]);
        for (int k = 0; k < 4; ++k) native.q[at_q + k] = q[3 + k];
        for (int k = 0; k < 3; ++k) {
          native.q[at_q + 4 + k] = q[k];
          native.u[at_u + k] = omega[k];
          native.u[at_u + 3 + k] = v[k];
          native.mobility_forces[at_u + k] = torque[k];
          native.mobility_forces[at_u + 3 + k] = tau[k];
        }
        q += 7, v += 6, tau += 6;
      }
      states_.push_back(std::move(native));
    }
  }

  void set_state(int index) override {
    current_ = static_cast<std::size_t>(index);
    state_.updQ() = states_[current_].q;
    state_.updU() = states_[current_].u;
  }

  void forward_dynamics(int index) override {
    set_state(index);
    evaluate();
  }

  // Its own integrators add events, interpolation and error control to this update; like them it projects where loops
  // are open by more than a tolerance.
  bool step(double dt_s) override {
    evaluate();
    velocity_ = state_.getU();
    velocity_ += dt_s * udot_;
    matter_.multiplyByN(state_, false, velocity_, qdot_);
    qdot_ *= dt_s;
    state_.updQ() += qdot_;
    state_.updU() = velocity_;
    if (has_loops_)
      system_.project(state_, kLoopTolerance);
    else if (has_quaternion_)
      matter_.normalizeQuaternions(state_);
    return true;
  }

  void read_acceleration(std::vector<double>& vdot) const override {
    double* out = vdot.data();
    for (std::size_t i = 0; i < mobods_.size(); ++i) {
      const int at = mobods_[i].getFirstUIndex(state_);
      if (!is_free_[i]) {
        for (int k = 0; k < mobods_[i].getNumU(state_); ++k) *out++ = udot_[at + k];
        continue;
      }
      // The derivative of omega in B's axes is R^T d(omega)/dt: the extra term omega x omega vanishes.
      const SimTK::Rotation& R_AB = mobods_[i].getBodyRotation(state_);
      const SimTK::Vec3 alpha_B = ~R_AB * SimTK::Vec3(udot_[at], udot_[at + 1], udot_[at + 2]);
      for (int k = 0; k < 3; ++k) {
        out[k] = udot_[at + 3 + k];
        out[3 + k] = alpha_B[k];
      }
      out += 6;
    }
  }

  void read_state(MotionState& state) const override {
    state.q.clear();
    state.v.clear();
    const SimTK::Vector &q = state_.getQ(), &u = state_.getU();
    for (std::size_t i = 0; i < mobods_.size(); ++i) {
      const int at_q = mobods_[i].getFirstQIndex(state_), at_u = mobods_[i].getFirstUIndex(state_);
      if (!is_free_[i]) {
        for (int k = 0; k < mobods_[i].getNumU(state_); ++k) {
          state.q.push_back(q[at_q + k]);
          state.v.push_back(u[at_u + k]);
        }
        continue;
      }
      const SimTK::Rotation R_AB(SimTK::Quaternion(q[at_q], q[at_q + 1], q[at_q + 2], q[at_q + 3]));
      const SimTK::Vec3 omega_B = ~R_AB * SimTK::Vec3(u[at_u], u[at_u + 1], u[at_u + 2]);
      for (const int k : {4, 5, 6, 0, 1, 2, 3}) state.q.push_back(q[at_q + k]);
      for (const int k : {3, 4, 5}) state.v.push_back(u[at_u + k]);
      for (int k = 0; k < 3; ++k) state.v.push_back(omega_B[k]);
    }
  }

 private:
  SimTK::MobilizedBody& body_of(int index) {
    return index < 0 ? matter_.updGround() : mobods_[static_cast<std::size_t>(index)];
  }

  static SimTK::MobilizedBody mobilize(SimTK::MobilizedBody& parent, const RigidBody& body,
                                       const SimTK::MassProperties& mass) {
    const SimTK::Transform X_PA = pose(body.R_PA, body.p_PA_m), X_BJ = pose(body.R_BJ, body.p_BJ_m);
    const SimTK::Body::Rigid rigid(mass);
    switch (body.joint) {
      case JointKind::kRevolute:
        return SimTK::MobilizedBody::Pin(parent, X_PA, rigid, X_BJ);
      case JointKind::kPrismatic: {  // its Slider moves along x
        const SimTK::Transform x_to_z(SimTK::Rotation(-SimTK::Pi / 2, SimTK::YAxis));
        return SimTK::MobilizedBody::Slider(parent, X_PA * x_to_z, rigid, X_BJ * x_to_z);
      }
      case JointKind::kUniversal:
        return SimTK::MobilizedBody::Universal(parent, X_PA, rigid, X_BJ);
      case JointKind::kFree:
        break;
    }
    return SimTK::MobilizedBody::Free(parent, X_PA, rigid, X_BJ);
  }

  // Gravity is written out as body forces and torques are handed over directly: Force::UniformGravity and
  // Force::DiscreteForces with realize(Acceleration) took 43 % longer on 2 bodies, 10 % on 300.
  void evaluate() {
    system_.realize(state_, SimTK::Stage::Dynamics);
    for (std::size_t i = 0; i < mobods_.size(); ++i) {
      const SimTK::Vec3 arm = mobods_[i].getBodyRotation(state_) * coms_[i];
      body_forces_[mobods_[i].getMobilizedBodyIndex()] = SimTK::SpatialVec(arm % weights_[i], weights_[i]);
    }
    const SimTK::Vector& mobility_forces = states_[current_].mobility_forces;
    if (has_loops_)
      matter_.calcAcceleration(state_, mobility_forces, body_forces_, udot_, A_GB_);
    else
      matter_.calcAccelerationIgnoringConstraints(state_, mobility_forces, body_forces_, udot_, A_GB_);
  }

  static constexpr double kLoopTolerance = 1e-9;

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::Vec3 gravity_;
  SimTK::State state_;
  std::vector<SimTK::MobilizedBody> mobods_;
  std::vector<char> is_free_;
  bool has_quaternion_ = false, has_loops_ = false;
  std::vector<SimTK::Vec3> weights_, coms_;
  std::vector<NativeState> states_;
  std::size_t current_ = 0;
  SimTK::Vector_<SimTK::SpatialVec> body_forces_, A_GB_;
  SimTK::Vector udot_, velocity_, qdot_;
};

}  // namespace

}  // namespace kinloop::bench

extern "C" [[gnu::visibility("default")]] kinloop::bench::Contestant* kinloop_bench_peer() {
  using namespace kinloop::bench;
  return new Contestant{
      "simbody",
      "Simbody 3.7: realize(Dynamics), calcAccelerationIgnoringConstraints, or calcAcceleration with Ball constraints; "
      "step adds u and q by hand, and project() to 1e-9. "
      "Debian builds it with assertions",
      [](const Mechanism& mechanism) { return std::make_unique<SimbodyPeer>(mechanism); }};
}

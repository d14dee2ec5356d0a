// Owns the DART contestant: a Skeleton without world, collision or constraint solver.
#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "bench/peers/peer.hpp"

namespace kinloop::bench {
namespace {

namespace dd = dart::dynamics;

struct NativeState {
  Eigen::VectorXd q, v, tau;
};

Eigen::Vector3d to_eigen(const Vec3& a) { return {a[0], a[1], a[2]}; }

Eigen::Matrix3d to_eigen(const Mat3& m) {
  Eigen::Matrix3d out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out(i, j) = m[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return out;
}

Eigen::Isometry3d pose(const Mat3& R, const Vec3& p_m) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = to_eigen(R);
  X.translation() = to_eigen(p_m);
  return X;
}

class DartPeer final : public Peer {
 public:
  explicit DartPeer(const Mechanism& mechanism) : skeleton_(dd::Skeleton::create(mechanism.name)) {
    skeleton_->setGravity(to_eigen(mechanism.gravity_W_mps2));
    skeleton_->disableSelfCollisionCheck();
    for (const RigidBody& body : mechanism.bodies) {
      dd::BodyNode* parent = body.parent < 0 ? nullptr : nodes_[static_cast<std::size_t>(body.parent)];
      dd::BodyNode::Properties properties;
      properties.mName = body.name;
      properties.mInertia = dd::Inertia(body.mass_kg, to_eigen(body.com_B_m), to_eigen(body.inertia_B_kgm2));
      properties.mIsCollidable = false;
      nodes_.push_back(body.joint == JointKind::kFree ? add_free(parent, body, properties)
                                                      : add_revolute(parent, body, properties));
    }
  }

  // DART's free joint: velocity and force are the spatial ones of the body in its own axes, angular part first.
  void load_states(const std::vector<MotionState>& states) override {
    states_.clear();
    const auto nv = static_cast<Eigen::Index>(skeleton_->getNumDofs());
    for (const MotionState& state : states) {
      NativeState native{Eigen::VectorXd(nv), Eigen::VectorXd(nv), Eigen::VectorXd(nv)};
      const double *q = state.q.data(), *v = state.v.data(), *tau = state.tau.data();
      for (const dd::BodyNode* node : nodes_) {
        const dd::Joint* joint = node->getParentJoint();
        const auto at = static_cast<Eigen::Index>(joint->getIndexInSkeleton(0));
        if (joint->getNumDofs() == 1) {
          native.q[at] = *q++;
          native.v[at] = *v++;
          native.tau[at] = *tau++;
          continue;
        }
        const Eigen::Map<const Eigen::Vector3d> linear_v(v), angular_v(v + 3), force(tau), torque(tau + 3);
        Eigen::Isometry3d X_AB = Eigen::Isometry3d::Identity();
        X_AB.linear() = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix();
        X_AB.translation() = Eigen::Vector3d(q[0], q[1], q[2]);
        native.q.segment<6>(at) = dd::FreeJoint::convertToPositions(X_AB);
        native.v.segment<6>(at) << angular_v, X_AB.linear().transpose() * linear_v;
        native.tau.segment<6>(at) << torque, X_AB.linear().transpose() * force;
        q += 7, v += 6, tau += 6;
      }
      states_.push_back(std::move(native));
    }
  }

  void set_state(int index) override {
    const NativeState& state = states_[static_cast<std::size_t>(index)];
    skeleton_->setPositions(state.q);
    skeleton_->setVelocities(state.v);
    skeleton_->setForces(state.tau);
  }

  // Articulated bodies; the lazily cached kinematics are part of it because the positions have just changed.
  void forward_dynamics(int index) override {
    set_state(index);
    skeleton_->computeForwardDynamics();
  }

  // What World::step does for a skeleton, without its collision detection and constraint solver.
  void step(double dt_s) override {
    skeleton_->computeForwardDynamics();
    skeleton_->integrateVelocities(dt_s);
    skeleton_->integratePositions(dt_s);
  }

  void read_acceleration(std::vector<double>& vdot) const override {
    double* out = vdot.data();
    for (const dd::BodyNode* node : nodes_) {
      const dd::Joint* joint = node->getParentJoint();
      if (joint->getNumDofs() == 1) {
        *out++ = joint->getAcceleration(0);
        continue;
      }
      const Eigen::VectorXd V = joint->getVelocities(), A = joint->getAccelerations();
      const Eigen::Matrix3d R = joint->getRelativeTransform().linear();
      const Eigen::Vector3d w_B = V.head<3>(), v_B = V.tail<3>(), a_B = A.tail<3>();
      Eigen::Map<Eigen::Vector3d>{out} = R * (a_B + w_B.cross(v_B));
      Eigen::Map<Eigen::Vector3d>{out + 3} = A.head<3>();
      out += 6;
    }
  }

  void read_angles(std::vector<double>& angles_rad) const override {
    std::size_t out = 0;
    for (const dd::BodyNode* node : nodes_)
      if (node->getParentJoint()->getNumDofs() == 1) angles_rad[out++] = node->getParentJoint()->getPosition(0);
  }

 private:
  dd::BodyNode* add_free(dd::BodyNode* parent, const RigidBody& body, const dd::BodyNode::Properties& properties) {
    dd::FreeJoint::Properties joint;
    joint.mName = body.name;
    return skeleton_->createJointAndBodyNodePair<dd::FreeJoint>(parent, joint, properties).second;
  }

  dd::BodyNode* add_revolute(dd::BodyNode* parent, const RigidBody& body, const dd::BodyNode::Properties& properties) {
    dd::RevoluteJoint::Properties joint;
    joint.mName = body.name;
    joint.mAxis = Eigen::Vector3d::UnitZ();
    joint.mT_ParentBodyToJoint = pose(body.R_PA, body.p_PA_m);
    joint.mT_ChildBodyToJoint = pose(body.R_BJ, body.p_BJ_m);
    return skeleton_->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, joint, properties).second;
  }

  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> nodes_;
  std::vector<NativeState> states_;
};

}  // namespace

}  // namespace kinloop::bench

extern "C" [[gnu::visibility("default")]] kinloop::bench::Contestant* kinloop_bench_peer() {
  using namespace kinloop::bench;
  return new Contestant{"dart",
                        "DART " DART_VERSION
                        ": Skeleton::computeForwardDynamics; step adds integrateVelocities and "
                        "integratePositions. Debian builds it with assertions, Eigen's too",
                        [](const Mechanism& mechanism) { return std::make_unique<DartPeer>(mechanism); }};
}

// Owns the DART contestant: a Skeleton, and a constraint solver where loops are to be closed; no world.
#include <dart/config.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>

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
  explicit DartPeer(const Mechanism& mechanism)
      : skeleton_(dd::Skeleton::create(mechanism.name)), loops_(mechanism.loops) {
    skeleton_->setGravity(to_eigen(mechanism.gravity_W_mps2));
    skeleton_->disableSelfCollisionCheck();
    for (const RigidBody& body : mechanism.bodies) {
      dd::BodyNode* parent = body.parent < 0 ? nullptr : nodes_[static_cast<std::size_t>(body.parent)];
      dd::BodyNode::Properties properties;
      properties.mName = body.name;
      properties.mInertia = dd::Inertia(body.mass_kg, to_eigen(body.com_B_m), to_eigen(body.inertia_B_kgm2));
      properties.mIsCollidable = false;
      nodes_.push_back(add_body(parent, body, properties));
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
        if (joint->getNumDofs() < 6) {
          for (auto k = at; k < at + static_cast<Eigen::Index>(joint->getNumDofs()); ++k) {
            native.q[k] = *q++;
            native.v[k] = *v++;
            native.tau[k] = *tau++;
          }
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
    if (!loops_.empty() && !solver_) close_loops();
  }

  void set_state(int index) override {
    const NativeState& state = states_[static_cast<std::size_t>(index)];
    skeleton_->setPositions(state.q);
    skeleton_->setVelocities(state.v);
    skeleton_->setForces(state.tau);
  }

  // ArticulatedInertia bodies; the lazily cached kinematics are part of it because the positions have just changed.
  // Loops act on velocities at the end of a step in DART, so accelerations with loops are the change of velocity over a
  // step.
  void forward_dynamics(int index) override {
    set_state(index);
    skeleton_->computeForwardDynamics();
    if (solver_) solve_loops(kDt_s);
  }

  // What World::step does for a skeleton, without its collision detection.
  bool step(double dt_s) override {
    skeleton_->computeForwardDynamics();
    if (solver_)
      solve_loops(dt_s);
    else
      skeleton_->integrateVelocities(dt_s);
    skeleton_->integratePositions(dt_s);
    return true;
  }

  void read_acceleration(std::vector<double>& vdot) const override {
    if (solver_) return read_speeds((skeleton_->getVelocities() - before_) / kDt_s, vdot);
    read_speeds(skeleton_->getAccelerations(), vdot);
  }

  void read_state(MotionState& state) const override {
    state.q.clear();
    state.v.clear();
    for (const dd::BodyNode* node : nodes_) {
      const dd::Joint* joint = node->getParentJoint();
      const Eigen::VectorXd V = joint->getVelocities();
      if (joint->getNumDofs() < 6) {
        const Eigen::VectorXd q = joint->getPositions();
        state.q.insert(state.q.end(), q.data(), q.data() + q.size());
        state.v.insert(state.v.end(), V.data(), V.data() + V.size());
        continue;
      }
      const Eigen::Isometry3d X = joint->getRelativeTransform();
      const Eigen::Quaterniond quat(X.linear());
      const Eigen::Vector3d p = X.translation(), v = X.linear() * V.tail<3>();
      state.q.insert(state.q.end(), {p.x(), p.y(), p.z(), quat.w(), quat.x(), quat.y(), quat.z()});
      state.v.insert(state.v.end(), {v.x(), v.y(), v.z(), V[0], V[1], V[2]});
    }
  }

 private:
  // Accelerations in the layout of MotionState::v.
  void read_speeds(const Eigen::VectorXd& accelerations, std::vector<double>& vdot) const {
    double* out = vdot.data();
    for (const dd::BodyNode* node : nodes_) {
      const dd::Joint* joint = node->getParentJoint();
      const auto at = static_cast<Eigen::Index>(joint->getIndexInSkeleton(0));
      if (joint->getNumDofs() < 6) {
        for (std::size_t k = 0; k < joint->getNumDofs(); ++k) *out++ = accelerations[at + static_cast<Eigen::Index>(k)];
        continue;
      }
      const Eigen::VectorXd V = joint->getVelocities();
      const Eigen::Matrix3d R = joint->getRelativeTransform().linear();
      const Eigen::Vector3d w_B = V.head<3>(), v_B = V.tail<3>(), a_B = accelerations.segment<3>(at + 3);
      Eigen::Map<Eigen::Vector3d>{out} = R * (a_B + w_B.cross(v_B));
      Eigen::Map<Eigen::Vector3d>{out + 3} = accelerations.segment<3>(at);
      out += 6;
    }
  }

  // Ball joints remember where they were when they were made, so the loops must be closed then.
  void close_loops() {
    set_state(0);
    solver_ = std::make_unique<dart::constraint::BoxedLcpConstraintSolver>();
    solver_->addSkeleton(skeleton_);
    // Its least softness; the default is 1e-5.
    dart::constraint::DynamicJointConstraint::setConstraintForceMixing(1e-9);
    for (const LoopClosure& loop : loops_) {
      dd::BodyNode* first = nodes_[static_cast<std::size_t>(loop.predecessor)];
      const Eigen::Vector3d point = first->getWorldTransform() * to_eigen(loop.p_PA_m);
      if (loop.successor < 0)
        solver_->addConstraint(std::make_shared<dart::constraint::BallJointConstraint>(first, point));
      else
        solver_->addConstraint(std::make_shared<dart::constraint::BallJointConstraint>(
            first, nodes_[static_cast<std::size_t>(loop.successor)], point));
    }
  }

  // Velocities of the end of the step, loops obeyed.
  void solve_loops(double dt_s) {
    before_ = skeleton_->getVelocities();
    if (skeleton_->getTimeStep() != dt_s) skeleton_->setTimeStep(dt_s);
    if (solver_->getTimeStep() != dt_s) solver_->setTimeStep(dt_s);
    skeleton_->integrateVelocities(dt_s);
    solver_->solve();
    if (!skeleton_->isImpulseApplied()) return;
    skeleton_->computeImpulseForwardDynamics();
    skeleton_->setImpulseApplied(false);
  }

  template <class Joint>
  dd::BodyNode* add(dd::BodyNode* parent, const RigidBody& body, typename Joint::Properties joint,
                    const dd::BodyNode::Properties& properties) {
    joint.mName = body.name;
    joint.mT_ParentBodyToJoint = pose(body.R_PA, body.p_PA_m);
    joint.mT_ChildBodyToJoint = pose(body.R_BJ, body.p_BJ_m);
    return skeleton_->createJointAndBodyNodePair<Joint>(parent, joint, properties).second;
  }

  dd::BodyNode* add_body(dd::BodyNode* parent, const RigidBody& body, const dd::BodyNode::Properties& properties) {
    switch (body.joint) {
      case JointKind::kRevolute: {
        dd::RevoluteJoint::Properties joint;
        joint.mAxis = Eigen::Vector3d::UnitZ();
        return add<dd::RevoluteJoint>(parent, body, joint, properties);
      }
      case JointKind::kPrismatic: {
        dd::PrismaticJoint::Properties joint;
        joint.mAxis = Eigen::Vector3d::UnitZ();
        return add<dd::PrismaticJoint>(parent, body, joint, properties);
      }
      case JointKind::kUniversal: {
        dd::UniversalJoint::Properties joint;
        joint.mAxis = {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
        return add<dd::UniversalJoint>(parent, body, joint, properties);
      }
      case JointKind::kFree:
        break;
    }
    return add<dd::FreeJoint>(parent, body, {}, properties);
  }

  static constexpr double kDt_s = 0.001;

  dd::SkeletonPtr skeleton_;
  std::vector<LoopClosure> loops_;
  std::vector<dd::BodyNode*> nodes_;
  std::vector<NativeState> states_;
  std::unique_ptr<dart::constraint::BoxedLcpConstraintSolver> solver_;
  Eigen::VectorXd before_;
};

}  // namespace

}  // namespace kinloop::bench

extern "C" [[gnu::visibility("default")]] kinloop::bench::Contestant* kinloop_bench_peer() {
  using namespace kinloop::bench;
  return new Contestant{"dart",
                        "DART " DART_VERSION
                        ": Skeleton::computeForwardDynamics; step adds integrateVelocities and "
                        "integratePositions; loops: BallJointConstraint, solved for the velocities of a 1 ms step. "
                        "Debian builds it with assertions, Eigen's too",
                        [](const Mechanism& mechanism) { return std::make_unique<DartPeer>(mechanism); }};
}

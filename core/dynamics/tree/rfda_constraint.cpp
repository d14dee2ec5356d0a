// Recursive forward dynamics in constraint form: paper 004, (8)-(10); docs/theory/tree.md §3.
//
//   paper            here
//   Mh_k, fh_k       Body::Mh, Body::fh, 6x6 and 6 at the body's centre of mass c_k, world axes
//   G_k              JointRows::G: a complement of the joint's motion columns, so that G_k (A_k - B_k A_p) = 0
//   Q_k = G_k B_k    Q: the rows as the parent's acceleration enters them
//   S_k              (G Mh^-1 G^T + C)^-1
//   lambda_k         S (G Mh^-1 fh - Q A_p): constraint force, which this form gives directly
//
// A driven speed is a further row. A rotor of inertia Ia along a speed is a row with compliance 1/Ia in C, since its
// torque is -Ia times the relative acceleration: both cases are thus exact here as they are in (11)-(12).
//
// Unlike (11)-(12) this form inverts Mh in all directions, that of a thin rod's own axis too. Taking moments about c_k,
// with the inertia as the file states it there, keeps the two to three digits that subtracting m c^2 would cost, and
// one step of iterative refinement (the force that inverse dynamics finds missing, sent through the same factors) the
// rest.
#include <Eigen/Cholesky>
#include <vector>

#include "core/base/at.hpp"
#include "core/base/indexed_vector.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/joint_rows.hpp"

namespace kinloop::formulations {
namespace {

struct Body {
  Matrix3 J_com = Matrix3::Zero();  // about c_k, axes of the reference frame
  Vector3 com = Vector3::Zero();    // c_k in the reference frame
  Vector3 d = Vector3::Zero();      // c_k - x_k, world axes; zero for the ground
  SpatialVector A_joint;            // A^ at x_k
  Vector6 A = Vector6::Zero();      // A^ at c_k
  Matrix6 Mh = Matrix6::Zero();
  Vector6 fh = Vector6::Zero();
  JointRows joint;
  Matrix6 B = Matrix6::Identity();         // A at x_k from A_p at c_p
  Matrix6 to_joint = Matrix6::Identity();  // A at x_k from A at c_k
  Rows6 Q = Rows6::Zero(6, 6);
  Rows6 SQ = Rows6::Zero(6, 6);
  Columns6 inverse_Mh_Gt = Columns6::Zero(6, 6);
  SmallSquare S = SmallSquare::Zero(6, 6);
  SmallVector right = SmallVector::Zero(6);  // G Mh^-1 fh
  Eigen::LLT<Matrix6> inverse_Mh;
};

class RfdaConstraint final : public Dynamics {
 public:
  explicit RfdaConstraint(const Model& model)
      : bodies_(at(model.body_count())),
        wrench_(bodies_.size()),
        tau_(VectorX::Zero(model.nv())),
        vdot_(VectorX::Zero(model.nv())) {
    for (const BodySpec& spec : model.spec().bodies) {
      const int k = model.find_body(spec.name);
      const Pose& frame = model.body_frame(k);
      bodies_[k].J_com = frame.R * (0.5 * (spec.inertia + spec.inertia.transpose())) * frame.R.transpose();
      bodies_[k].com = frame.p + frame.R * spec.com;
    }
  }

  std::string_view name() const noexcept override { return kRfdaConstraint.name; }
  /// Which speeds have rows is decided by the model.
  bool takes_armature(const VectorX& added) const noexcept override { return added.isZero(0.0); }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    for (int k = 1; k < model.body_count(); ++k) start(model.body(k).mass, k, ws);
    bool regular = true;
    for (int k = model.body_count() - 1; k > 0; --k) regular = factorize(model, k, ws) && regular;
    if (!regular) return StepStatus::kSingularMass;

    tau_ = ws.tau;
    recurse(model, ws);
    ws.vdot = ws.prescribed + vdot_;
    update_body_accelerations(model, ws);

    joint_reactions(model, ws, {}, wrench_);
    generalized_forces(model, ws, wrench_, tau_);
    tau_ = ws.tau - tau_;
    for (int k = 1; k < model.body_count(); ++k) bodies_[k].fh.setZero();
    recurse(model, ws);
    ws.vdot += vdot_;
    update_body_accelerations(model, ws);
    return StepStatus::kOk;
  }

 private:
  void start(double mass, int k, const Workspace& ws) noexcept {
    Body& body = bodies_[k];
    const BodyLoad& load = ws.load[at(k)];
    const Matrix3 R = ws.motion[at(k)].R.eigen();
    body.d.noalias() = R * body.com;
    body.Mh.setZero();
    body.Mh.topLeftCorner<3, 3>() = R * body.J_com * R.transpose();
    body.Mh.bottomRightCorner<3, 3>().diagonal().setConstant(mass);
    body.fh = stacked(load.n - cross(Vec3(body.d), load.f), load.f);
  }

  /// (9), inertias: leaves first.
  bool factorize(const Model& model, int k, const Workspace& ws) noexcept {
    const int parent = model.body(k).parent;
    Body& body = bodies_[k];
    update_joint_rows(model, k, ws, body.joint);
    const auto rows = body.joint.G.rows();
    body.to_joint = motion_shift(-body.d);
    body.B = motion_shift(ws.motion[at(k)].r.eigen() - bodies_[parent].d);
    body.Q.resize(rows, 6);
    body.Q.noalias() = body.joint.G * body.B;
    Rows6 G(rows, 6);
    G.noalias() = body.joint.G * body.to_joint;
    body.joint.G = G;

    body.inverse_Mh.compute(body.Mh);
    body.inverse_Mh_Gt = G.transpose();
    body.inverse_Mh.solveInPlace(body.inverse_Mh_Gt);
    SmallSquare compliance(rows, rows);
    compliance.noalias() = G * body.inverse_Mh_Gt;
    compliance.diagonal() += body.joint.compliance;
    body.S.setIdentity(rows, rows);
    if (rows > 0) Eigen::LLT<SmallSquare>(compliance).solveInPlace(body.S);
    body.SQ.resize(rows, 6);
    body.SQ.noalias() = body.S * body.Q;
    if (parent > 0) bodies_[parent].Mh.noalias() += body.Q.transpose() * body.SQ;
    return body.inverse_Mh.info() == Eigen::Success;
  }

  /// vdot_ of the free speeds that tau_ and the bodies' fh cause, with the factors at hand.
  void recurse(const Model& model, const Workspace& ws) noexcept {
    for (int k = model.body_count() - 1; k > 0; --k) inward(model, k);
    for (int k = 1; k < model.body_count(); ++k) outward(model, k, ws);
  }

  /// (10).
  void inward(const Model& model, int k) noexcept {
    const BodyConstants& constants = model.body(k);
    Body& body = bodies_[k];
    Vector6 applied = Vector6::Zero();  // the joint's torque as a wrench on k; its opposite acts on the parent
    for (int i = 0; i < constants.nv; ++i) {
      if (model.coordinate(constants.v + i).motion < 0) applied += tau_[constants.v + i] * body.joint.W.col(i);
    }
    body.fh.noalias() += body.to_joint.transpose() * applied;
    body.right.resize(body.joint.G.rows());
    body.right.noalias() = body.inverse_Mh_Gt.transpose() * body.fh;
    if (constants.parent == 0) return;
    Body& parent = bodies_[constants.parent];
    parent.fh.noalias() += body.SQ.transpose() * body.right;
    parent.fh.noalias() -= body.B.transpose() * applied;
  }

  /// (8): lambda, then the accelerations.
  void outward(const Model& model, int k, const Workspace& ws) noexcept {
    const BodyConstants& constants = model.body(k);
    Body& body = bodies_[k];
    const Body& parent = bodies_[constants.parent];
    SmallVector residual = body.right;
    residual.noalias() -= body.Q * parent.A;
    SmallVector lambda(residual.size());
    lambda.noalias() = body.S * residual;
    Vector6 A = body.fh;
    A.noalias() -= body.joint.G.transpose() * lambda;
    body.inverse_Mh.solveInPlace(A);
    const Vec3 d(body.d);
    const SpatialVector& p = parent.A_joint;
    SpatialVector at_x{p.angular, p.linear + cross(p.angular, ws.motion[at(k)].r)};
    const Vec3 angular(A[0], A[1], A[2]);
    const Vec3 linear = Vec3(A[3], A[4], A[5]) - cross(angular, d);
    const Vector6 relative = stacked(angular - at_x.angular, linear - at_x.linear);
    // The accelerations go on by B A_p + H vdot, not by A itself, whose part about a thin axis is less accurate.
    for (int speed = constants.v; speed < constants.v + constants.nv; ++speed) {
      if (model.coordinate(speed).motion >= 0) continue;
      vdot_[speed] = body.joint.W.col(speed - constants.v).dot(relative);
      at_x.angular += vdot_[speed] * ws.Hw[at(speed)];
      at_x.linear += vdot_[speed] * ws.Hv[at(speed)];
    }
    body.A_joint = at_x;
    body.A = stacked(at_x.angular, at_x.linear + cross(at_x.angular, d));
  }

  std::vector<Body, Eigen::aligned_allocator<Body>> bodies_;
  std::vector<SpatialVector> wrench_;
  VectorX tau_;
  VectorX vdot_;  // zero for driven speeds
};

std::string refusal(const Model& model) {
  std::string loops = refuse_loops(model);
  if (!loops.empty()) return loops;
  for (int k = 1; k < model.body_count(); ++k) {
    // Mh must be invertible at every body, so each needs inertia of its own.
    const BodyConstants& body = model.body(k);
    Matrix6 M;
    const Matrix3 mc = skew(body.first_moment.eigen());
    M << body.inertia.eigen(), mc, mc.transpose(), body.mass * Matrix3::Identity();
    if (body.mass == 0.0 || Eigen::LLT<Matrix6>(M).info() != Eigen::Success) {
      return "body '" + model.body_name(k) +
             "' is massless or a point mass; the constraint form needs inertia in every body";
    }
  }
  return {};
}

}  // namespace

constinit const DynamicsKind kRfdaConstraint{
    "rfda_constraint", "articulated inertias from constraint forces, O(n) (004 eq. 9-10)", refusal,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<RfdaConstraint>(model); }};

}  // namespace kinloop::formulations

// Recursive forward dynamics in constraint form: paper 004, equations (9)-(10); MATH 3.3.
//
//   paper            here
//   Mh_k, fh_k       Body::Mh, Body::fh, 6x6 and 6 at x_k, world axes
//   G_k              JointRows::G: a complement of the joint's motion columns, so that G_k (A_k - B_k A_p) = 0
//   Q_k = G_k B_k    Q: the rows as the parent's acceleration enters them
//   S_k              (G Mh^-1 G^T + C)^-1
//   lambda_k         S (G Mh^-1 fh - Q A_p): constraint force, which this form gives directly
//
// A driven speed is a further row. A rotor of inertia Ia along a speed is a row with compliance 1/Ia in C, since its
// torque is -Ia times the relative acceleration: both cases are thus exact here as they are in (11)-(12).
#include <Eigen/Cholesky>
#include <vector>

#include "core/dynamics/formulations.hpp"
#include "core/dynamics/joint_rows.hpp"

namespace kinloop::formulations {
namespace {

struct Body {
  Matrix6 Mh = Matrix6::Zero();
  Vector6 fh = Vector6::Zero();
  JointRows joint;
  Rows6 Q = Rows6::Zero(6, 6);
  SmallSquare S = SmallSquare::Zero(6, 6);
  SmallVector right = SmallVector::Zero(6);  // G Mh^-1 fh
  Eigen::LLT<Matrix6> inverse_Mh;
};

Vector6 stacked(const Vec3& angular, const Vec3& linear) noexcept {
  Vector6 result;
  result << angular.x(), angular.y(), angular.z(), linear.x(), linear.y(), linear.z();
  return result;
}

class RfdaConstraint final : public Dynamics {
 public:
  explicit RfdaConstraint(const Model& model) : bodies_(static_cast<std::size_t>(model.body_count())) {}

  std::string_view name() const noexcept override { return kRfdaConstraint.name; }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    for (int k = 1; k < model.body_count(); ++k) start(model.body(k), ws.load[static_cast<std::size_t>(k)], at(k));
    bool regular = true;
    for (int k = model.body_count() - 1; k > 0; --k) regular = inward(model, k, ws) && regular;
    if (!regular) return StepStatus::kSingularMass;
    for (int k = 1; k < model.body_count(); ++k) outward(model, k, ws);
    return StepStatus::kOk;
  }

 private:
  Body& at(int k) noexcept { return bodies_[static_cast<std::size_t>(k)]; }

  static void start(const BodyConstants& constants, const BodyLoad& load, Body& body) noexcept {
    const Matrix3 mc = skew(load.mc.eigen());
    body.Mh.topLeftCorner<3, 3>() = load.J.eigen();
    body.Mh.topRightCorner<3, 3>() = mc;
    body.Mh.bottomLeftCorner<3, 3>() = mc.transpose();
    body.Mh.bottomRightCorner<3, 3>() = constants.mass * Matrix3::Identity();
    body.fh = stacked(load.n, load.f);
  }

  bool inward(const Model& model, int k, const Workspace& ws) noexcept {
    const BodyConstants& constants = model.body(k);
    Body& body = at(k);
    update_joint_rows(model, k, ws, body.joint);
    const Rows6& G = body.joint.G;
    const auto rows = G.rows();

    Vector6 applied = Vector6::Zero();  // the joint's torque as a wrench on k; its opposite acts on the parent
    for (int i = 0; i < constants.nv; ++i) {
      if (model.coordinate(constants.v + i).motion < 0) applied += ws.tau[constants.v + i] * body.joint.W.col(i);
    }
    body.fh += applied;

    body.inverse_Mh.compute(body.Mh);
    const bool regular = body.inverse_Mh.info() == Eigen::Success;
    const Matrix6 B = motion_shift(ws.motion[static_cast<std::size_t>(k)].r.eigen());
    body.Q.resize(rows, 6);
    body.Q.noalias() = G * B;
    Columns6 Gt = G.transpose();
    body.inverse_Mh.solveInPlace(Gt);  // Mh^-1 G^T
    SmallSquare compliance_matrix(rows, rows);
    compliance_matrix.noalias() = G * Gt;
    compliance_matrix.diagonal() += body.joint.compliance;
    body.S.setIdentity(rows, rows);
    if (rows > 0) {
      Eigen::LLT<SmallSquare> llt(compliance_matrix);
      llt.solveInPlace(body.S);
    }
    body.right.resize(rows);
    body.right.noalias() = Gt.transpose() * body.fh;

    if (constants.parent > 0) {  // (9)
      Body& parent = at(constants.parent);
      Rows6 SQ(rows, 6);
      SQ.noalias() = body.S * body.Q;
      parent.Mh.noalias() += body.Q.transpose() * SQ;
      parent.fh.noalias() += SQ.transpose() * body.right;
      parent.fh.noalias() -= B.transpose() * applied;
    }
    return regular;
  }

  void outward(const Model& model, int k, Workspace& ws) noexcept {  // (10)
    const BodyConstants& constants = model.body(k);
    Body& body = at(k);
    const Pair& p = ws.A[static_cast<std::size_t>(constants.parent)];
    const Vector6 A_p = stacked(p.angular, p.linear);
    const Vector6 BA_p = stacked(p.angular, p.linear + cross(p.angular, ws.motion[static_cast<std::size_t>(k)].r));
    SmallVector residual = body.right;
    residual.noalias() -= body.Q * A_p;
    SmallVector lambda(residual.size());
    lambda.noalias() = body.S * residual;
    Vector6 A = body.fh;
    A.noalias() -= body.joint.G.transpose() * lambda;
    body.inverse_Mh.solveInPlace(A);
    const Vector6 relative = A - BA_p;
    for (int i = 0; i < constants.nv; ++i) {
      const int speed = constants.v + i;
      ws.vdot[speed] = model.coordinate(speed).motion >= 0 ? ws.prescribed[speed] : body.joint.W.col(i).dot(relative);
    }
    ws.A[static_cast<std::size_t>(k)] = {Vec3(A[0], A[1], A[2]), Vec3(A[3], A[4], A[5])};
  }

  std::vector<Body, Eigen::aligned_allocator<Body>> bodies_;
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

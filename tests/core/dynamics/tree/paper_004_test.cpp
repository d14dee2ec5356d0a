// Examples of paper 004 with their closed forms: Featherstone's two sliders, the planar pair of bodies on a hinge, and
// the first of its two methods to find special coordinates.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/at.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/special_coordinates.hpp"

namespace kinloop {
namespace {

constexpr int kX = 3, kY = 4;  // of a spatial vector, angular part first
constexpr int kTurn = 2;

JointSpec paper_004_joint(const std::string& name, JointType type, const std::string& from, const std::string& to) {
  JointSpec joint;
  joint.name = name;
  joint.type = type;
  joint.predecessor = from;
  joint.successor = to;
  return joint;
}

/// z of both frames along an axis of the plane.
void point_along(const Vector3& axis, JointSpec& joint) {
  const Vector3 other = Vector3::UnitZ();
  Matrix3 R;
  R << other, skew(axis) * other, axis;
  joint.frame_pred.R = joint.frame_succ.R = R;
}

BodySpec paper_004_body(const std::string& name, double mass, double J) {
  BodySpec body;
  body.name = name;
  body.mass = mass;
  body.inertia = J * Matrix3::Identity();
  return body;
}

struct Coordinates004 {
  Coordinates004(const ModelSpec& spec, const std::vector<ExternalWrench>& wrenches)
      : model(mechanisms::compiled(spec)), state(model), ws(model) {
    Loads loads(model);
    loads.wrenches = wrenches;
    EXPECT_EQ(accelerations(model, state, loads, **make_dynamics("rfda", model), ws), StepStatus::kOk);
    of = special_coordinates(model, state.v().data(), ws);
  }
  Model model;
  State state;
  Workspace ws;
  SpecialCoordinates of;
};

// Body 1 slides along x on the ground, body 2 along y on body 1: (13)-(17), (30).
TEST(Paper004, FeatherstonesSlidersHaveTheEquationsOfThePaper) {
  const double m1 = 2.0;
  const double m2 = 3.5;
  ModelSpec spec;
  spec.gravity = Vector3::Zero();
  spec.bodies = {paper_004_body("1", m1, 0.1), paper_004_body("2", m2, 0.2)};
  spec.joints = {paper_004_joint("x", JointType::kPrismatic, "ground", "1"),
                 paper_004_joint("y", JointType::kPrismatic, "1", "2")};
  point_along(Vector3::UnitX(), spec.joints[0]);
  point_along(Vector3::UnitY(), spec.joints[1]);
  const Vector3 f1(1.1, -0.7, 0.0);
  const Vector3 f2(-0.4, 2.3, 0.0);

  const Coordinates004 c(spec, {{1, Vector3::Zero(), f1, Vector3::Zero()}, {2, Vector3::Zero(), f2, Vector3::Zero()}});

  const SpecialNode& one = c.of.nodes[1];
  EXPECT_NEAR(one.Mh(kX, kX), m1 + m2, 1e-15) << "(15)";
  EXPECT_NEAR(one.Mh(kY, kY), m1, 1e-15) << "(15): body 2 slides away";
  EXPECT_NEAR(one.Mh(kX, kY), 0.0, 1e-15);
  EXPECT_NEAR(one.fh[kX], f1.x() + f2.x(), 1e-15) << "(15)";
  EXPECT_NEAR(one.fh[kY], f1.y(), 1e-15);
  const MatrixX mass = special_mass_matrix(c.model, c.of);
  EXPECT_LT((mass - MatrixX(Eigen::Vector2d(m1 + m2, m2).asDiagonal())).norm(), 1e-14) << "(17), (30)";
  // The coordinates (16) are the speeds of the joints, so (17) is solved by their accelerations.
  EXPECT_NEAR(c.ws.vdot[0], (f1.x() + f2.x()) / (m1 + m2), 1e-15);
  EXPECT_NEAR(c.ws.vdot[1], f2.y() / m2, 1e-15);
}

/// Fig. 3: y_j and y_k are positions of the centres of mass and angles.
struct PlanarPair {
  double mj = 2.0, Jj = 0.3, mk = 1.4, Jk = 0.2;
  double phi_j = 0.6, phi_k = 1.7;
  Eigen::Vector2d sj{0.5, -0.2}, sk{-0.4, 0.15};  // from the centres to the hinge, in body axes

  ModelSpec spec() const {
    ModelSpec spec;
    spec.gravity = Vector3::Zero();
    spec.bodies = {paper_004_body("j", mj, Jj), paper_004_body("k", mk, Jk)};
    spec.joints = {paper_004_joint("root", JointType::kPlanar, "ground", "j"),
                   paper_004_joint("hinge", JointType::kRevolute, "j", "k")};
    spec.joints[0].initial_q = {0.3, -0.8, phi_j};
    spec.joints[1].frame_pred.p.head<2>() = sj;
    spec.joints[1].frame_succ.p.head<2>() = sk;
    spec.joints[1].initial_q = {phi_k - phi_j};
    return spec;
  }
  /// d(A(phi) s) / d phi.
  static Eigen::Vector2d slope(double phi, const Eigen::Vector2d& s) {
    return {-std::sin(phi) * s.x() - std::cos(phi) * s.y(), std::cos(phi) * s.x() - std::sin(phi) * s.y()};
  }

  MatrixX Mk() const { return Vector3(mk, mk, Jk).asDiagonal(); }
  MatrixX Mj() const { return Vector3(mj, mj, Jj).asDiagonal(); }
  MatrixX Gk() const {
    MatrixX G(2, 3);
    G << Matrix3::Identity().topLeftCorner<2, 2>(), slope(phi_k, sk);
    return G;
  }
  MatrixX Qk() const {
    MatrixX Q(2, 3);
    Q << -Matrix3::Identity().topLeftCorner<2, 2>(), -slope(phi_j, sj);
    return Q;
  }
  MatrixX Ek() const { return Matrix3::Identity().leftCols<2>(); }  // (36)
  MatrixX Dk() const {
    MatrixX D(3, 1);
    D << -slope(phi_k, sk), 1.0;
    return D;
  }
  /// (47).
  MatrixX A_tilde() const {
    const double s = std::sin(phi_k);
    const double c = std::cos(phi_k);
    const double below = Jk + mk * sk.squaredNorm();
    MatrixX A(1, 2);
    A << -mk * (s * sk.x() + c * sk.y()) / below, mk * (c * sk.x() - s * sk.y()) / below;
    return A;
  }
};

/// Articulated inertia of body j at its centre of mass, in (x, y, phi): from the program.
Matrix3 planar_part(const SpecialNode& node, const Vector3& to_centre) {
  const Matrix6 X = motion_shift(-to_centre);  // from the centre to the node's point
  const Matrix6 M = X.transpose() * node.Mh * X;
  const int places[] = {kX, kY, kTurn};
  Matrix3 part;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) part(r, c) = M(places[r], places[c]);
  }
  return part;
}

TEST(Paper004, ThePlanarPairHasTheClosedFormsOfThePaper) {
  const PlanarPair p;
  const Coordinates004 c(p.spec(), {});
  const Matrix3 from_program = planar_part(c.of.nodes[1], Vector3::Zero());
  const double sx = p.sk.x();
  const double sy = p.sk.y();
  const double c2 = std::cos(2.0 * p.phi_k);
  const double s2 = std::sin(2.0 * p.phi_k);
  const double mk2 = p.mk * p.mk;
  const double printed =
      (-2.0 * mk2 * sx * sy * s2 + mk2 * sx * sx * c2 + mk2 * sx * sx + 2.0 * p.mj * p.Jk + 2.0 * p.mk * p.Jk +
       2.0 * p.mj * p.mk * (sx * sx + sy * sy) + mk2 * sy * sy - mk2 * sy * sy * c2) /
      (2.0 * p.Jk + 2.0 * p.mk * (sx * sx + sy * sy));

  EXPECT_NEAR(from_program(0, 0), printed, 1e-14) << "Mh_j(1,1), section 3.2.1";
  EXPECT_LT((p.Gk() * p.Dk()).norm(), 1e-15) << "(36): D spans the null space of G";
  const MatrixX Mk = p.Mk();
  const MatrixX A = -dense::inverse(p.Dk().transpose() * Mk * p.Dk()) * (p.Dk().transpose() * Mk * p.Ek());
  EXPECT_LT((A - p.A_tilde()).norm(), 1e-15) << "(47) is (42)";
  // (25): in the coordinates (24), the hinge and the angle, the angle's entry is J_k + m_k |s|^2.
  MatrixX ED(3, 3);
  ED << p.Ek(), p.Dk();
  const MatrixX in_24 = ED.transpose() * Mk * ED;
  EXPECT_NEAR(in_24(2, 2), p.Jk + p.mk * p.sk.squaredNorm(), 1e-15);
  EXPECT_GT(in_24.topRightCorner(2, 1).norm(), 0.1) << "and it is not block diagonal";
}

TEST(Paper004, TheTransformationOfThePlanarPairMakesTheMassMatrixBlockDiagonal) {
  const PlanarPair p;
  const Coordinates004 c(p.spec(), {});
  MatrixX T = MatrixX::Zero(6, 4);  // (48)
  T.topLeftCorner(3, 3).setIdentity();
  T.bottomLeftCorner(3, 3) = -(p.Ek() + p.Dk() * p.A_tilde()) * p.Qk();
  T.bottomRightCorner(3, 1) = p.Dk();
  MatrixX M = MatrixX::Zero(6, 6);
  M.topLeftCorner(3, 3) = p.Mj();
  M.bottomRightCorner(3, 3) = p.Mk();
  MatrixX plain = T;  // (20): the joint's angle beside y_j
  plain.bottomLeftCorner(3, 3) = -p.Ek() * p.Qk() + p.Dk() * Eigen::RowVector3d::UnitZ();

  const MatrixX special = T.transpose() * M * T;
  const MatrixX usual = plain.transpose() * M * plain;

  EXPECT_LT(special.topRightCorner(3, 1).norm(), 1e-15);
  EXPECT_LT((special.topLeftCorner(3, 3) - planar_part(c.of.nodes[1], Vector3::Zero())).norm(), 1e-14) << "(19)";
  EXPECT_NEAR(special(3, 3), c.of.nodes[2].mass_f(0, 0), 1e-14);
  EXPECT_GT(usual.topRightCorner(3, 1).norm(), 0.1) << "after (20): not block diagonal";
  EXPECT_NEAR(usual(0, 0), p.mj + p.mk, 1e-15);
  EXPECT_NEAR(usual(0, 1), 0.0, 1e-15);
}

// (37), (38): E~ = Mh^-1 G^T C_c and D~ = D C_f for any regular C_c and C_f; what a child does to its parent is the
// same as with method 2, which special_coordinates() uses.
TEST(Paper004, MethodOneMeetsBothConditionsAndMovesWithTheParentAlike) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    mechanisms::TreeOptions options;
    options.shuffled = true;
    const Coordinates004 c(mechanisms::random_tree(seed, 15, options), {});
    Random random(seed);
    for (int k = 1; k < c.model.body_count(); ++k) {
      const SpecialNode& node = c.of.nodes[at(k)];
      if (node.G.rows() == 0 || node.H.cols() == 0) continue;
      const auto any = [&](Eigen::Index n) {
        MatrixX C = 3.0 * MatrixX::Identity(n, n);
        for (Eigen::Index i = 0; i < C.size(); ++i) C.data()[i] += random.uniform(-1.0, 1.0);
        return C;
      };
      const MatrixX E = dense::solve_symmetric(node.Mh, node.G.transpose()) * any(node.G.rows());  // (38)
      const MatrixX D = node.H * any(node.H.cols());                                               // (37)
      const MatrixX S = dense::inverse(node.G * E) * node.G * node.B;

      EXPECT_LT((node.G * D).norm(), 1e-12 * D.norm()) << "condition 1, body " << k;
      EXPECT_LT((D.transpose() * node.Mh * E).norm(), 1e-10 * D.norm() * node.Mh.norm() * E.norm())
          << "condition 2, body " << k;
      EXPECT_LT((E * S - node.carried).norm(), 1e-8 * node.carried.norm()) << "(26), body " << k;
    }
  }
}

// (65)-(70), (72)-(74): with B~ = E~ Q, what a child hands to its parent by (45) is what it hands by (46).
TEST(Paper004, TheSimplificationsOfAppendixCHold) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    mechanisms::TreeOptions options;
    options.shuffled = true;
    const Coordinates004 c(mechanisms::random_tree(seed, 15, options), {});
    Random random(seed);
    for (int k = 1; k < c.model.body_count(); ++k) {
      const SpecialNode& node = c.of.nodes[at(k)];
      if (node.G.rows() == 0 || node.H.cols() == 0) continue;
      const auto any = [&] {
        Vector6 v;
        for (Eigen::Index i = 0; i < 6; ++i) v[i] = random.uniform(-1.0, 1.0);
        return v;
      };
      const MatrixX& M = node.Mh;
      const MatrixX D = node.H;
      const MatrixX Q = -node.G * node.B;
      const MatrixX Bt = node.E_tilde * Q;  // (67)
      const MatrixX inverse = dense::inverse(D.transpose() * M * D);
      const MatrixX projected = Matrix6::Identity() - M * D * inverse * D.transpose();
      const double size = (Bt.transpose() * M * Bt).norm();

      EXPECT_LT((Bt + node.B - D * inverse * D.transpose() * M * node.B).norm(), 1e-10 * Bt.norm()) << "(68), (69)";
      EXPECT_LT((D.transpose() * M * Bt).norm(), 1e-10 * D.norm() * M.norm() * Bt.norm()) << "(70)";
      EXPECT_LT((Bt.transpose() * M * (Bt + node.B)).norm(), 1e-9 * size) << "(72)";
      EXPECT_LT((Bt.transpose() * M * Bt - node.B.transpose() * projected * M * node.B).norm(), 1e-9 * size) << "(73)";
      const Vector6 f = any();
      const VectorX handed = node.B.transpose() * projected * f;
      EXPECT_LT((-Bt.transpose() * f - handed).norm(), 1e-9 * Bt.norm() * f.norm()) << "(74)";
      // (65), (66): for any accelerations of the body and its parent.
      const Vector6 of_body = any();
      const Vector6 of_parent = any();
      const MatrixX S = dense::inverse(node.G * dense::solve_symmetric(M, node.G.transpose()));
      const VectorX by_motion = Bt.transpose() * M * (of_body + Bt * of_parent);
      const VectorX by_constraint = Q.transpose() * S * (node.G * of_body + Q * of_parent);
      EXPECT_LT((by_motion - by_constraint).norm(), 1e-7 * Q.norm() * S.norm()) << "(66), body " << k;
    }
  }
}

}  // namespace
}  // namespace kinloop

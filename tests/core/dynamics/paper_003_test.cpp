// Paper 003 read literally: its matrices in the plane against the kinematic sweep, and method II's own velocity
// recursion at one common point, in space, against what the formulations compute at every body's own point.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/at.hpp"
#include "core/derivatives/inverse_dynamics_slopes.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/composite_inertia.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

using Vector2 = Eigen::Vector2d;

/// I~ of (3): a quarter of a turn.
Vector2 turned(const Vector2& a) { return {-a.y(), a.x()}; }
Vector2 in_plane(const Vector3& a) { return a.head<2>(); }

BodySpec planar_body(const std::string& name, const Vector3& com) {
  BodySpec body;
  body.name = name;
  body.mass = 1.3;
  body.com = com;
  body.inertia = Vector3(0.1, 0.2, 0.25).asDiagonal();
  return body;
}

/// Fig. 1: body 1 turns about P on the ground, body 2 slides along h on body 1, turned by theta_c.
ModelSpec two_bodies() {
  ModelSpec spec;
  spec.bodies = {planar_body("one", Vector3(0.3, 0.1, 0.0)), planar_body("two", Vector3(-0.1, 0.2, 0.0))};
  JointSpec hinge;
  hinge.name = "P";
  hinge.type = JointType::kRevolute;
  hinge.predecessor = "ground";
  hinge.successor = "one";
  hinge.frame_pred.p = Vector3(0.4, -0.2, 0.0);
  hinge.frame_succ.p = Vector3(-0.5, 0.15, 0.0);
  hinge.initial_q = {0.7};
  hinge.initial_u = {1.9};
  JointSpec slide;
  slide.name = "QS";
  slide.type = JointType::kPrismatic;
  slide.predecessor = "one";
  slide.successor = "two";
  // z of the joint's frames lies in the plane.
  const Vector3 along = Vector3(0.8, 0.6, 0.0);
  slide.frame_pred.R.col(2) = along;
  slide.frame_pred.R.col(0) = Vector3(0.0, 0.0, 1.0);
  slide.frame_pred.R.col(1) = skew(along) * Vector3(0.0, 0.0, 1.0);
  slide.frame_pred.p = Vector3(0.2, 0.3, 0.0);
  const double theta_c = 0.4;
  Matrix3 back = Matrix3::Identity();
  back.topLeftCorner<2, 2>() << std::cos(theta_c), std::sin(theta_c), -std::sin(theta_c), std::cos(theta_c);
  slide.frame_succ.R = back * slide.frame_pred.R;
  slide.frame_succ.p = Vector3(0.1, -0.25, 0.0);
  slide.initial_q = {0.35};
  slide.initial_u = {-0.8};
  spec.joints = {hinge, slide};
  return spec;
}

/// Velocities of the body frames' origins and angles per unit of every speed, from the program's sweep: rows R_x, R_y,
/// theta of every body.
MatrixX velocity_matrix(const Model& model, const State& at_state) {
  MatrixX V(3 * (model.body_count() - 1), model.nv());
  State state = at_state;
  Workspace ws(model);
  for (int i = 0; i < model.nv(); ++i) {
    state.v() = VectorX::Unit(model.nv(), i);
    update_kinematics(model, state, ws);
    for (int k = 1; k < model.body_count(); ++k) {
      const BodyOutput body = body_output(model, ws, k);
      V.block<2, 1>(3 * (k - 1), i) = in_plane(body.v_origin);
      V(3 * (k - 1) + 2, i) = body.omega.z();
    }
  }
  return V;
}

struct PlanarFrames {
  explicit PlanarFrames(const Model& model, const State& state) : ws(model) {
    update_kinematics(model, state, ws);
    for (int k = 0; k < model.body_count(); ++k) {
      R.push_back(in_plane(body_output(model, ws, k).p));
      r.push_back(in_plane(ws.motion[at(k)].x.eigen()));
    }
  }
  Workspace ws;
  std::vector<Vector2> R;  // origins of the body frames
  std::vector<Vector2> r;  // joint points
};

TEST(Paper003, JacobianOfTheTwoBodiesVanishesAlongTheVelocityMatrix) {
  const Model model = mechanisms::compiled(two_bodies());
  const State state(model);
  const PlanarFrames at_q(model, state);
  const ModelSpec& spec = model.spec();
  const BodyOutput one = body_output(model, at_q.ws, 1);
  const BodyOutput two = body_output(model, at_q.ws, 2);
  const Vector2 uP = in_plane(one.R * spec.joints[0].frame_succ.p);
  const Vector2 uS = in_plane(two.R * spec.joints[1].frame_succ.p);
  const Vector2 h = in_plane(one.R * spec.joints[1].frame_pred.R.col(2));
  const Vector2 hI = -turned(h);    // h^T I~, as a column
  MatrixX C = MatrixX::Zero(4, 6);  // (5)
  C.block<2, 2>(0, 0).setIdentity();
  C.block<2, 1>(0, 2) = turned(uP);
  C(2, 2) = -1.0;
  C(2, 5) = 1.0;
  C.block<1, 2>(3, 0) = -hI.transpose();
  C(3, 2) = -h.dot(at_q.R[1] - at_q.R[2] - uS);
  C.block<1, 2>(3, 3) = hI.transpose();
  C(3, 5) = -h.dot(uS);
  MatrixX V(6, 2);  // (11)
  V.col(0) << turned(at_q.R[1] - at_q.r[1]), 1.0, turned(at_q.R[2] - at_q.r[1]), 1.0;
  V.col(1) << 0.0, 0.0, 0.0, h, 0.0;

  EXPECT_LT((C * V).norm(), 1e-14) << "(12)";
  EXPECT_LT((V - velocity_matrix(model, state)).norm(), 1e-14) << "(11) is what the sweep computes";
  // (7), (8): coordinate partitioning with theta_1 and a component of R_2 as independents gives the same velocities.
  const VectorX q_dot = V * state.v();
  MatrixX C_d(4, 4);
  C_d << C.col(0), C.col(1), C.col(4), C.col(5);
  VectorX right = -C.col(2) * q_dot[2] - C.col(3) * q_dot[3];
  const VectorX dependent = dense::inverse(C_d) * right;
  EXPECT_LT((dependent - VectorX(Eigen::Vector4d(q_dot[0], q_dot[1], q_dot[4], q_dot[5]))).norm(), 1e-13) << "(7)";
}

/// Fig. 8(b): body 1 on the ground, 2 slides on 1, 3 turns on 2; 4 turns on 1, 5 turns on 4.
ModelSpec quick_return_tree() {
  ModelSpec spec = two_bodies();
  for (const char* name : {"three", "four", "five"}) spec.bodies.push_back(planar_body(name, Vector3(0.2, -0.1, 0.0)));
  const auto hinge = [](const char* name, const char* from, const char* to, const Vector3& p, double q) {
    JointSpec joint;
    joint.name = name;
    joint.type = JointType::kRevolute;
    joint.predecessor = from;
    joint.successor = to;
    joint.frame_pred.p = p;
    joint.frame_succ.p = Vector3(-0.3, 0.2, 0.0);
    joint.initial_q = {q};
    joint.initial_u = {0.3 + q};
    return joint;
  };
  spec.joints.push_back(hinge("r3", "two", "three", Vector3(0.4, 0.1, 0.0), 0.5));
  spec.joints.push_back(hinge("r4", "one", "four", Vector3(0.6, -0.1, 0.0), -0.9));
  spec.joints.push_back(hinge("r5", "four", "five", Vector3(0.5, 0.05, 0.0), 1.3));
  return spec;
}

TEST(Paper003, MatricesOfTheQuickReturnAreThoseOfTheSweep) {
  const Model model = mechanisms::compiled(quick_return_tree());
  const State state(model);
  const PlanarFrames at_q(model, state);
  ASSERT_EQ(model.joint_name(2), "QS") << "bodies are in the order of the file";
  const Vector2 h = in_plane(at_q.ws.Hv[1].eigen());
  const auto from = [&](int body, int joint) { return turned(at_q.R[at(body)] - at_q.r[at(joint)]); };
  MatrixX V = MatrixX::Zero(15, 5);  // (38)
  const auto block = [&](int body, int column, const Vector2& v, double turns) {
    V.block<2, 1>(3 * (body - 1), column - 1) = v;
    V(3 * (body - 1) + 2, column - 1) = turns;
  };
  for (int body = 1; body <= 5; ++body) block(body, 1, from(body, 1), 1.0);
  block(2, 2, h, 0.0);
  block(3, 2, h, 0.0);
  block(3, 3, from(3, 3), 1.0);
  block(4, 4, from(4, 4), 1.0);
  block(5, 4, from(5, 4), 1.0);
  block(5, 5, from(5, 5), 1.0);
  MatrixX T = MatrixX::Zero(15, 15);  // (39): bodies by joints
  const std::vector<std::vector<int>> path = {{1}, {1, 2}, {1, 2, 3}, {1, 4}, {1, 4, 5}};
  for (int body = 1; body <= 5; ++body) {
    for (const int joint : path[at(body - 1)]) T.block<3, 3>(3 * (body - 1), 3 * (joint - 1)).setIdentity();
  }
  MatrixX R_d = MatrixX::Zero(15, 5);
  for (const int joint : {1, 3, 4, 5}) {
    R_d.block<2, 1>(3 * (joint - 1), joint - 1) = -turned(at_q.r[at(joint)]);
    R_d(3 * (joint - 1) + 2, joint - 1) = 1.0;
  }
  R_d.block<2, 1>(3, 1) = h;
  MatrixX D = MatrixX::Zero(15, 15);  // (28)
  for (int body = 1; body <= 5; ++body) {
    D.block<3, 3>(3 * (body - 1), 3 * (body - 1)).setIdentity();
    D.block<2, 1>(3 * (body - 1), 3 * (body - 1) + 2) = turned(at_q.R[at(body)]);
  }

  EXPECT_LT((V - velocity_matrix(model, state)).norm(), 1e-14) << "(38)";
  EXPECT_LT((D * T * R_d - V).norm(), 1e-14) << "(39) with (28): both methods move the bodies alike";
}

/// Method II at a common point O, in space: docs/theory/semi-recursive.md (S3), (S5).
struct CommonPoint {
  CommonPoint(const Model& model, const State& state, const Workspace& ws, const Vector3& O)
      : Z(at(model.body_count())), acceleration(at(model.body_count())), b(at(model.nv())) {
    acceleration[0].linear = Vec3(Vector3(-model.gravity()));
    for (int k = 1; k < model.body_count(); ++k) {
      const BodyConstants& body = model.body(k);
      const SpatialVector& Zp = Z[at(body.parent)];
      const Vec3 y = Vec3(O) - ws.motion[at(k)].x;
      JointMotion joint;
      body.evaluate(model.joint_parameters(k), state.q().data() + body.q, state.v().data() + body.v, joint);
      const Mat3 R_WA = ws.motion[at(body.parent)].R * body.R_PA;
      SpatialVector J;  // w_J, v_J
      SpatialVector step;
      SpatialVector rate;
      for (int i = body.v; i < body.v + body.nv; ++i) {
        const SpatialVector H{ws.Hw[at(i)], ws.Hv[at(i)]};
        b[at(i)] = shift_motion(H, y);
        J = J + state.v()[i] * H;
        step = step + state.v()[i] * b[at(i)];
        rate = rate + ws.vdot[i] * b[at(i)];
      }
      Z[at(k)] = Zp + step;  // (31), (34)
      const Vec3 wp = Zp.angular;
      const Vec3 wk = Z[at(k)].angular;
      const Vec3 epsilon = cross(wp, J.angular) + R_WA * joint.bw;
      const SpatialVector d{epsilon, 2.0 * cross(wp, J.linear) + R_WA * joint.bv + cross(epsilon, y) +
                                         cross(wk, cross(wk, y)) - cross(wp, cross(wp, y))};
      acceleration[at(k)] = acceleration[at(body.parent)] + rate + d;
    }
  }
  std::vector<SpatialVector> Z, acceleration;
  std::vector<SpatialVector> b;
};

ModelSpec tree_of_003(std::uint64_t seed) {
  mechanisms::TreeOptions options;
  options.joint_forces = options.armature = options.shuffled = true;
  return mechanisms::random_tree(seed, 20, options);
}

/// Evaluated in a state that the seed draws, and a point in space.
struct MovingTreeOf003 {
  explicit MovingTreeOf003(std::uint64_t seed)
      : model(mechanisms::compiled(tree_of_003(seed))), state(model), ws(model) {
    Random random(seed);
    mechanisms::randomize(model, random, state);
    EXPECT_EQ(accelerations(model, state, Loads(model), **make_dynamics("rfda", model), ws), StepStatus::kOk);
  }

  Model model;
  State state;
  Workspace ws;
  Vector3 O{0.7, -0.4, 1.1};
};

TEST(Paper003, TheVelocityRecursionAtACommonPointMovesAllBodiesAsTheSweepDoes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const MovingTreeOf003 tree(seed);
    const auto& [model, state, ws, O] = tree;

    const CommonPoint at_O(model, state, ws, O);

    for (int k = 1; k < model.body_count(); ++k) {
      const BodyMotion& m = ws.motion[at(k)];
      const SpatialVector& A = ws.A[at(k)];
      const Vec3 y = Vec3(O) - m.x;
      const SpatialVector& Z = at_O.Z[at(k)];
      EXPECT_LT((Z.angular - m.w).eigen().norm(), 1e-11) << seed << ' ' << k;
      EXPECT_LT((Z.linear - (m.v + cross(m.w, y))).eigen().norm(), 1e-11) << seed << ' ' << k;
      const Vec3 alpha = A.angular + m.al;
      const Vec3 a = A.linear + m.a + cross(alpha, y) + cross(m.w, cross(m.w, y));
      const double scale = 1.0 + a.eigen().norm() + alpha.eigen().norm();
      EXPECT_LT((at_O.acceleration[at(k)].angular - alpha).eigen().norm(), 1e-11 * scale) << seed << ' ' << k;
      EXPECT_LT((at_O.acceleration[at(k)].linear - a).eigen().norm(), 1e-11 * scale) << seed << ' ' << k;
    }
  }
}

/// What derivatives are swept over (core/derivatives): method II's recursion (31), (34) at the point of the first body,
/// with d_j = b'_j z'_j as the paper prints it, which is then the acceleration of the field of velocities (S4); and its
/// composites (50)-(52).
TEST(Paper003, TheSweepOfDerivativesIsMethodTwosOwnVelocityRecursion) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const MovingTreeOf003 tree(seed);
    const Model& model = tree.model;
    const Workspace& ws = tree.ws;
    const CommonPoint at_O(model, tree.state, ws, ws.motion[1].x.eigen());
    MotionSlopes motion(model);
    InverseDynamicsSlopes slopes(model);

    motion.update(model, tree.state.q().data(), tree.state.v().data(), ws.vdot.data(), Vec3(model.gravity()), ws);
    slopes.update(motion, ws);

    const auto apart = [](const SpatialVector& a, const SpatialVector& b) {
      const SpatialVector d = a - b;
      return (d.angular.eigen().norm() + d.linear.eigen().norm()) /
             (1.0 + b.angular.eigen().norm() + b.linear.eigen().norm());
    };
    for (int i = 0; i < model.nv(); ++i) EXPECT_LT(apart(motion.J[at(i)], at_O.b[at(i)]), 1e-12) << seed << ' ' << i;
    for (int k = 1; k < model.body_count(); ++k) {
      const SpatialVector& Z = at_O.Z[at(k)];
      const SpatialVector& material = at_O.acceleration[at(k)];
      const SpatialVector field{material.angular, material.linear - cross(Z.angular, Z.linear)};
      EXPECT_LT(apart(motion.v[at(k)], Z), 1e-12) << seed << ' ' << k;
      EXPECT_LT(apart(motion.a[at(k)], field), 1e-10) << seed << ' ' << k;
    }
    MatrixX expected;
    mass_matrix(model, ws, expected);
    EXPECT_LT((slopes.M() - expected).norm(), 1e-11 * expected.norm()) << seed;
  }
}

TEST(Paper003, CompositesAtACommonPointGiveTheInertiaOfTheFormulations) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const MovingTreeOf003 tree(seed);
    const auto& [model, state, ws, O] = tree;
    const CommonPoint at_O(model, state, ws, O);
    // M0_k and Q0_k summed over subtrees by plain additions, (50)-(52).
    std::vector<Matrix6> Mc(at(model.body_count()), Matrix6::Zero());
    std::vector<SpatialVector> Qc(at(model.body_count()));
    for (int k = model.body_count() - 1; k > 0; --k) {
      const BodyLoad& load = ws.load[at(k)];
      Matrix6 own;
      own.topLeftCorner<3, 3>() = load.J.eigen();
      own.topRightCorner<3, 3>() = skew(load.mc).eigen();
      own.bottomLeftCorner<3, 3>() = -skew(load.mc).eigen();
      own.bottomRightCorner<3, 3>() = model.body(k).mass * Matrix3::Identity();
      const Matrix6 X = motion_shift(ws.motion[at(k)].x.eigen() - O);
      Mc[at(k)] += X.transpose() * own * X;
      Qc[at(k)] = Qc[at(k)] + shift_force({load.n, load.f}, ws.motion[at(k)].x - Vec3(O));
      Mc[at(model.body(k).parent)] += Mc[at(k)];
      Qc[at(model.body(k).parent)] = Qc[at(model.body(k).parent)] + Qc[at(k)];
    }
    MatrixX M = MatrixX::Zero(model.nv(), model.nv());
    VectorX h = ws.tau;
    const auto stacked = [&](int i) {
      Vector6 b;
      b << at_O.b[at(i)].angular.eigen(), at_O.b[at(i)].linear.eigen();
      return b;
    };
    for (int i = 0; i < model.nv(); ++i) {
      const int k = model.coordinate(i).body;
      h[i] += dot(at_O.b[at(i)], Qc[at(k)]);
      for (int body = k; body > 0; body = model.body(body).parent) {
        for (int j = model.body(body).v; j < model.body(body).v + model.body(body).nv; ++j) {
          M(i, j) = M(j, i) = stacked(j).dot(Mc[at(k)] * stacked(i));
        }
      }
      M(i, i) += ws.armature[i];
    }
    MatrixX expected;
    mass_matrix(model, ws, expected);

    EXPECT_LT((M - expected).norm(), 1e-11 * expected.norm()) << seed;
    EXPECT_LT(relative_difference(VectorX(dense::solve_symmetric(M, h)), ws.vdot), 1e-9) << seed;
  }
}

/// The inertia of method II as the paper has it, written for speed like mass_matrix(): composites are plain sums at O.
[[gnu::noinline]] void common_point_inertia(const Model& model, const Workspace& ws, const Vec3& O,
                                            std::vector<CompositeInertia>& composite, std::vector<SpatialVector>& b,
                                            MatrixX& M) {
  M.setZero();
  for (int k = 1; k < model.body_count(); ++k) {
    const CompositeInertia h = body_inertia(model, ws, k);
    const Vec3 r = ws.motion[at(k)].x - O;
    const ParallelAxisTerms more = parallel_axis(h, r);
    composite[at(k)] = {h.J + diagonal3(more.trace) - more.products, h.mc + h.mass * r, h.mass};
    const BodyConstants& body = model.body(k);
    for (int i = body.v; i < body.v + body.nv; ++i) b[at(i)] = shift_motion({ws.Hw[at(i)], ws.Hv[at(i)]}, -r);
  }
  for (int k = model.body_count() - 1; k > 0; --k) {
    const BodyConstants& body = model.body(k);
    const CompositeInertia& h = composite[at(k)];
    if (body.parent > 0) {
      CompositeInertia& parent = composite[at(body.parent)];
      parent = {parent.J + h.J, parent.mc + h.mc, parent.mass + h.mass};
    }
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const SpatialVector& column = b[at(i)];
      const Vec3 n = h.J * column.angular + cross(h.mc, column.linear);
      const Vec3 f = h.mass * column.linear + cross(column.angular, h.mc);
      for (int a = k; a > 0; a = model.body(a).parent) {
        const BodyConstants& ancestor = model.body(a);
        for (int j = ancestor.v; j < ancestor.v + ancestor.nv; ++j) {
          M(i, j) = M(j, i) = dot(b[at(j)].angular, n) + dot(b[at(j)].linear, f);
        }
      }
      M(i, i) += ws.armature[i];
    }
  }
}

/// Largest difference of the last link's own inertia from that of the same links at the origin, a share of it.
struct LostDigits {
  explicit LostDigits(double boom_m) {
    ModelSpec near = mechanisms::chain(6);
    for (BodySpec& body : near.bodies) {
      body.com *= 1e-3;
      body.inertia *= 1e-6;
    }
    for (JointSpec& joint : near.joints) joint.frame_pred.p *= 1e-3;
    ModelSpec far = near;
    far.joints[0].frame_pred.p.x() += boom_m;
    const Model at_origin = mechanisms::compiled(near);
    const Model on_boom = mechanisms::compiled(far);
    Workspace ws(at_origin);
    Workspace far_ws(on_boom);
    update_kinematics(at_origin, State(at_origin), ws);
    update_kinematics(on_boom, State(on_boom), far_ws);
    MatrixX expected;
    MatrixX own;
    MatrixX common(6, 6);
    mass_matrix(at_origin, ws, expected);
    mass_matrix(on_boom, far_ws, own);
    std::vector<CompositeInertia> composite(7);
    std::vector<SpatialVector> b(6);
    common_point_inertia(on_boom, far_ws, Vec3(), composite, b, common);
    of_own_points = std::abs(own(5, 5) / expected(5, 5) - 1.0);
    of_common_point = std::abs(common(5, 5) / expected(5, 5) - 1.0);
  }
  double of_own_points = 0.0, of_common_point = 0.0;
};

TEST(Paper003, ACommonPointLosesTheDigitsThatOwnPointsKeep) {
  const LostDigits far(100.0);

  EXPECT_LT(far.of_own_points, 1e-14);
  EXPECT_GT(far.of_common_point, 1e-8);
}

TEST(Paper003, ACommonPointAmongTheLinksGivesTheSameInertia) {
  for (const int n : {3, 6, 12, 40}) {
    const Model model = mechanisms::compiled(mechanisms::chain(n));
    Workspace ws(model);
    update_kinematics(model, State(model), ws);
    std::vector<CompositeInertia> composite(at(n + 1));
    std::vector<SpatialVector> b(at(n));
    MatrixX own(n, n);
    MatrixX common(n, n);

    mass_matrix(model, ws, composite, own);
    common_point_inertia(model, ws, ws.motion[at(n / 2)].x, composite, b, common);

    EXPECT_LT((own - common).norm(), 1e-13 * own.norm()) << n;
  }
}

}  // namespace
}  // namespace kinloop

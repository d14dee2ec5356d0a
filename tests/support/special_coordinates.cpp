// Builds the special coordinates of paper 004, sections 5 and 6; names as in the header's table.
#include "tests/support/special_coordinates.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "core/base/at.hpp"
#include "core/dynamics/joint_rows.hpp"

namespace kinloop {
namespace {

bool is_driven(const Model& model, int speed) { return model.coordinate(speed).motion >= 0; }

void add_inertia(const BodyConstants& body, const BodyLoad& load, SpecialNode& node) {
  const Matrix3 mc = skew(load.mc.eigen());
  node.M << load.J.eigen(), mc, mc.transpose(), body.mass * Matrix3::Identity();
  node.Mh += node.M;
  node.fh += stacked(load.n, load.f);
}

/// G, E, H of (60), and the velocity that driven speeds alone give.
Vector6 split_joint(const Model& model, int k, const double* v, const Workspace& ws, SpecialNode& node) {
  const BodyConstants& body = model.body(k);
  JointRows rows;
  update_joint_rows(model, k, ws, rows);
  const int free_count = static_cast<int>(node.speeds.size());
  Matrix6 all;  // [G; W^T]
  all.topRows(6 - body.nv) = rows.G.topRows(6 - body.nv);
  int blocked = 6 - body.nv;
  int moving = 6 - free_count;
  Vector6 driven = Vector6::Zero();
  for (int i = 0; i < body.nv; ++i) {
    const int speed = body.v + i;
    const bool is_blocked = is_driven(model, speed);
    all.row(is_blocked ? blocked++ : moving++) = rows.W.col(i).transpose();
    if (is_blocked) driven += v[speed] * stacked(ws.Hw[at(speed)], ws.Hv[at(speed)]);
  }
  node.G = all.topRows(6 - free_count);
  const Matrix6 inverse = all.inverse();
  node.E = inverse.leftCols(6 - free_count);
  node.H = inverse.rightCols(free_count);
  return driven;
}

/// Joints without dofs, and free ones, leave nothing to solve for; Eigen would look at the first entry all the
/// same.
MatrixX solved(const Eigen::LDLT<MatrixX>& factors, const MatrixX& right) {
  if (right.size() == 0) return MatrixX::Zero(right.rows(), right.cols());
  return factors.solve(right);
}

/// (42)-(44), (53), (54) of a node whose children are done, and its part of (11), (12) for the parent.
void transform(const Model& model, int k, const Vector6& driven, const Workspace& ws, SpecialNode& node,
               SpecialNode& parent) {
  const auto count = static_cast<Eigen::Index>(node.speeds.size());
  node.rotors.resize(count);
  VectorX tau(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    node.rotors[i] = model.coordinate(node.speeds[at(i)]).armature;
    tau[i] = ws.tau[node.speeds[at(i)]];
  }
  const MatrixX HtMh = node.H.transpose() * node.Mh;
  const MatrixX HtMhH = HtMh * node.H;
  node.A_tilde = -solved(HtMhH.ldlt(), HtMh * node.E);  // (42)
  node.E_tilde = node.E + node.H * node.A_tilde;        // (43)
  node.S = node.G * node.B;                             // (53): G E~ = 1 by (71), and Q = -G B
  node.a = node.G * driven;
  node.mass_c = node.E_tilde.transpose() * node.Mh * node.E_tilde;
  node.mass_f = HtMhH;
  node.mass_f.diagonal() += node.rotors;
  node.force_f = tau + node.H.transpose() * node.fh;

  const Eigen::LDLT<MatrixX> solver = node.mass_f.ldlt();
  node.c = -solved(solver, HtMh * node.B);
  node.c_0 = -solved(solver, HtMh * driven);
  node.carried = node.B + node.H * node.c;
  node.carried_0 = driven + node.H * node.c_0;

  if (model.body(k).parent == 0) return;
  parent.Mh += node.B.transpose() * node.Mh * node.carried;                       // (11)
  parent.fh += node.B.transpose() * node.fh + node.c.transpose() * node.force_f;  // (12)
}

}  // namespace

SpecialCoordinates special_coordinates(const Model& model, const double* v, const Workspace& ws) {
  SpecialCoordinates result;
  result.nodes.resize(at(model.body_count()));
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    SpecialNode& node = result.nodes[at(k)];
    node.first = result.count;
    for (int i = body.v; i < body.v + body.nv; ++i) {
      if (!is_driven(model, i)) node.speeds.push_back(i);
    }
    result.count += static_cast<int>(node.speeds.size());
    const BodyMotion& motion = ws.motion[at(k)];
    node.B = motion_shift(motion.r.eigen());
    node.velocity = stacked(motion.w, motion.v);
  }
  for (int k = model.body_count() - 1; k > 0; --k) {
    SpecialNode& node = result.nodes[at(k)];
    SpecialNode& parent = result.nodes[at(model.body(k).parent)];
    add_inertia(model.body(k), ws.load[at(k)], node);
    const Vector6 driven = split_joint(model, k, v, ws, node);
    transform(model, k, driven, ws, node, parent);
    node.speed.resize(static_cast<Eigen::Index>(node.speeds.size()));
    for (std::size_t i = 0; i < node.speeds.size(); ++i) node.speed[static_cast<Eigen::Index>(i)] = v[node.speeds[i]];
    node.speed -= node.c * parent.velocity + node.c_0;
  }
  return result;
}

VectorX special_speeds(const SpecialCoordinates& coordinates) {
  VectorX speeds(coordinates.count);
  for (const SpecialNode& node : coordinates.nodes) speeds.segment(node.first, node.speed.size()) = node.speed;
  return speeds;
}

MatrixX special_transformation(const Model& model, const SpecialCoordinates& coordinates) {
  MatrixX T = MatrixX::Zero(6 * (model.body_count() - 1), coordinates.count);
  for (int k = 1; k < model.body_count(); ++k) {
    const SpecialNode& node = coordinates.nodes[at(k)];
    const int parent = model.body(k).parent;
    if (parent > 0) T.middleRows<6>(6 * (k - 1)) = node.carried * T.middleRows<6>(6 * (parent - 1));
    T.block(6 * (k - 1), node.first, 6, node.H.cols()) = node.H;
  }
  return T;
}

MatrixX special_joint_speeds(const Model& model, const SpecialCoordinates& coordinates) {
  const MatrixX T = special_transformation(model, coordinates);
  MatrixX result = MatrixX::Zero(model.nv(), coordinates.count);
  for (int k = 1; k < model.body_count(); ++k) {
    const SpecialNode& node = coordinates.nodes[at(k)];
    const int parent = model.body(k).parent;
    MatrixX rows = MatrixX::Zero(node.c.rows(), coordinates.count);
    if (parent > 0) rows = node.c * T.middleRows<6>(6 * (parent - 1));
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      rows(i, node.first + i) += 1.0;
      result.row(node.speeds[at(i)]) = rows.row(i);
    }
  }
  return result;
}

MatrixX special_mass_matrix(const Model& model, const SpecialCoordinates& coordinates) {
  const MatrixX T = special_transformation(model, coordinates);
  const MatrixX joints = special_joint_speeds(model, coordinates);
  MatrixX mass = MatrixX::Zero(coordinates.count, coordinates.count);
  for (int k = 1; k < model.body_count(); ++k) {
    const MatrixX rows = T.middleRows<6>(6 * (k - 1));
    mass += rows.transpose() * coordinates.nodes[at(k)].M * rows;
  }
  for (int i = 0; i < model.nv(); ++i) {
    if (!is_driven(model, i)) mass += model.coordinate(i).armature * joints.row(i).transpose() * joints.row(i);
  }
  return mass;
}

SpecialEquations special_equations(const Model& model, const SpecialCoordinates& coordinates, const Workspace& ws) {
  SpecialEquations result;
  result.accelerations = VectorX::Zero(coordinates.count);
  result.left_out = VectorX::Zero(coordinates.count);
  result.recursion.assign(coordinates.nodes.size(), Vector6::Zero());
  for (int k = 1; k < model.body_count(); ++k) {
    const SpecialNode& node = coordinates.nodes[at(k)];
    const SpatialVector& A = ws.A[at(k)];
    const SpatialVector& A_p = ws.A[at(model.body(k).parent)];
    VectorX accelerations = -(node.c * stacked(A_p.angular, A_p.linear));
    for (std::size_t i = 0; i < node.speeds.size(); ++i) {
      accelerations[static_cast<Eigen::Index>(i)] += ws.vdot[node.speeds[i]];
    }
    result.accelerations.segment(node.first, accelerations.size()) = accelerations;
    result.left_out.segment(node.first, accelerations.size()) = node.mass_f * accelerations - node.force_f;
    result.recursion[at(k)] = node.Mh * stacked(A.angular, A.linear) - node.fh;
  }
  return result;
}

}  // namespace kinloop

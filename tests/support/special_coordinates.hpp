// Owns the special coordinates of paper 004, in which the recursion's equations are part of the equations of motion.
//
// Not for the control loop: everything here is dense and allocates.
//
//   paper                        here
//   y_k dot, y_k ddot            SpecialNode::velocity; ws.A, of which only the part A^ linear in vdot is meant
//   M_k, Mh_k (8), fh_k          M, Mh, fh: at x_k, world axes; fh goes with A^, so d_k does not appear
//   G_k, E_k, D_k (1), (60)      G, E, H: [G; W^T]^-1 = [E H], with H the columns of the free speeds
//   A~_k, E~_k, D~_k (42)-(44)   A_tilde, E_tilde, H
//   S_k, a_k (22), (53)          S, a: y~_kc dot = S y_p dot + a, where driven speeds make a
//   M~_kc (54)                   mass_c
//   D~^T Mh D~ (54)              mass_f: a diagonal block of Lambda
//   y~_kf dot                    speed: a quasi-velocity, no derivative of a coordinate in general
//   eta_k (54), (57)             force_f: right side of the equations that the recursion leaves out
//   [I; P_k R_k] (section 6)     special_transformation()
//
// The paper knows no rotors. One of inertia Ia along a free speed q' adds Ia q'^2 / 2, which depends on the velocities
// of both bodies of the joint. It is treated by  q' = y~_f' + c y_p' + c_0  with  c = -(H^T Mh H + Ia)^-1 H^T Mh B, so
// that y_k' = (B + H c) y_p' + H y~_f' + b. Without rotors B + H c = E~ S and b = E~ a: `carried` and `carried_0`.
#pragma once

#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop {

struct SpecialNode {
  Matrix6 B = Matrix6::Identity();  // X(r)
  Matrix6 M = Matrix6::Zero();
  Matrix6 Mh = Matrix6::Zero();
  Matrix6 carried = Matrix6::Zero();
  Vector6 fh = Vector6::Zero();
  Vector6 velocity = Vector6::Zero();
  Vector6 carried_0 = Vector6::Zero();

  MatrixX G, E, H;
  MatrixX A_tilde, E_tilde, S;
  VectorX a;
  MatrixX mass_c;   // E~^T Mh E~
  MatrixX mass_f;   // H^T Mh H + rotors
  VectorX force_f;  // tau + H^T fh
  VectorX speed;
  VectorX rotors;
  MatrixX c;
  VectorX c_0;

  std::vector<int> speeds;  // free speeds of the inboard joint
  int first = 0;            // of these, in the vector of all special speeds
};

struct SpecialCoordinates {
  std::vector<SpecialNode> nodes;  // one per body; the ground's is at rest
  int count = 0;                   // special speeds: the free speeds of the tree
};

/// Needs update_kinematics() and add_forces() for this v. The model is a tree, as far as this is concerned.
SpecialCoordinates special_coordinates(const Model& model, const double* v, const Workspace& ws);

/// All special speeds.
VectorX special_speeds(const SpecialCoordinates& coordinates);

/// (55), composed over the tree: body velocities, six rows per body without the ground, per unit special speed.
MatrixX special_transformation(const Model& model, const SpecialCoordinates& coordinates);

/// Joint speeds per unit special speed: a row per speed, zero for driven ones.
MatrixX special_joint_speeds(const Model& model, const SpecialCoordinates& coordinates);

/// (57) for the whole tree, T^T M T and rotors, computed from the bodies' own inertias: it is block diagonal.
MatrixX special_mass_matrix(const Model& model, const SpecialCoordinates& coordinates);

/// What the accelerations in ws make of the equations (57), node by node.
struct SpecialEquations {
  VectorX accelerations;           // y~_kf ddot, the part linear in vdot
  VectorX left_out;                // mass_f y~_kf ddot - force_f: zero, the equations that the recursion leaves out
  std::vector<Vector6> recursion;  // Mh A - fh per body, the equations of the recursion: what the joint must carry
};
SpecialEquations special_equations(const Model& model, const SpecialCoordinates& coordinates, const Workspace& ws);

}  // namespace kinloop

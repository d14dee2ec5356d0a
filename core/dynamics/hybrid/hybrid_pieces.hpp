// Owns the partition of a tree by cut joints: who hangs on whom, and the memory in which each piece is treated.
//
// Ports are the places where cut forces act on a piece: its tips (joints cut outboard) and, unless it hangs on the
// ground, its base. A port has a column per component of the cut force; the columns of the tips come first, ordered so
// that those outboard of any one body are neighbours.
#pragma once

#include <array>
#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/dynamics/articulated_inertia.hpp"

namespace kinloop::hybrid {

/// A cut joint. Its force has a component per constrained direction, per driven speed and per speed with a rotor.
struct Cut {
  int body = 0;         // outboard: the base of piece `outer`, with x_body as reference point
  int predecessor = 0;  // inboard: a body of piece `inner`, or the ground
  int inner = 0;
  int outer = 0;
  int rows = 0;
  int first_row = 0;  // in the vector of all cut forces
  int column = 0;     // of the inner piece; in the outer one it is tip_columns

  // For one state, by orient_cut().
  std::array<SpatialVector, 6> Q;    // unit cut forces, at x_body
  std::array<double, 6> compliance;  // 1 / rotor inertia, zero for a rigid direction
  std::array<SpatialVector, 6> W;    // per speed: the wrench that works on this speed alone, H^T W = 1
  SpatialVector applied;             // the joint's tau as a wrench on body; its opposite acts on the predecessor
};

/// A body of a piece.
struct Node {
  int body = 0;
  int first = 0, last = 0;  // columns of the tips outboard of it
  int response = 0;         // where its speeds' responses to those columns stand
};

struct Piece {
  IndexedVector<Node> nodes;    // parents first
  int base_cut = -1;            // of nodes[0], which then floats; -1: the piece hangs on the ground
  IndexedVector<int> tip_cuts;  // in the order of their columns
  int tip_columns = 0;
  int columns = 0;  // tips and base

  // For one state, by reduce_piece(); nothing here is written for another piece.
  IndexedVector<SpatialVector> tau;                   // the columns, at the body they have been carried to
  IndexedVector<double> response;                     // P^T tau, per speed and column that passes it
  Matrix6 base_factor;                                // Cholesky factor of the base's articulated inertia
  Vector6 base_load;                                  // the base's load, through that factor
  Eigen::Matrix<double, 6, Eigen::Dynamic> base_tau;  // the columns, through that factor
  MatrixX gamma;                                      // what this piece adds to Gamma
  VectorX eta;                                        // what the piece, left alone, adds to the gap at its ports

  // By the solvers of hybrid_forces.hpp.
  MatrixX front;  // gamma during elimination, lower triangle
  VectorX right;  // its right side
  VectorX f;      // cut forces, per column
};

struct Partition {
  IndexedVector<Cut> cuts;      // by body
  IndexedVector<Piece> pieces;  // inner before outer
  int rows = 0;                 // all cut forces
};

/// `cut_bodies` are bodies of the model, each once, in any order.
Partition make_partition(const Model& model, std::vector<int> cut_bodies);

}  // namespace kinloop::hybrid

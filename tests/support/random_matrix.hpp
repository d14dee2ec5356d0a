// Owns random matrices for the tests of factorizations.
#pragma once

#include "tests/support/random.hpp"

namespace kinloop {

/// Entries in [-1, 1).
inline MatrixX random_matrix(Eigen::Index rows, Eigen::Index columns, Random& random) {
  MatrixX a(rows, columns);
  for (Eigen::Index c = 0; c < columns; ++c) {
    for (Eigen::Index r = 0; r < rows; ++r) a(r, c) = random.uniform(-1.0, 1.0);
  }
  return a;
}

inline MatrixX random_matrix_of_rank(Eigen::Index rows, Eigen::Index columns, Eigen::Index rank, Random& random) {
  return random_matrix(rows, rank, random) * random_matrix(rank, columns, random);
}

}  // namespace kinloop

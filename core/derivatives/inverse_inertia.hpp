// Owns InverseInertia: the inverse of a tree's inertia matrix, by articulated inertias and without the matrix itself.
//
// The recursion of docs/theory/tree.md §2 for a unit force along each speed, all of them at once (Carpentier, 2018):
// what a body takes from those beyond it, and how it accelerates, are six rows with a number for each speed. The
// inverse is symmetric, so a speed's row begins at itself.
#pragma once

#include <vector>

#include "core/dynamics/articulated_inertia.hpp"
#include "core/spatial/types.hpp"

namespace kinloop {

class InverseInertia {
 public:
  /// The model must outlive it. All its speeds are free and open: it has neither loops nor drives.
  explicit InverseInertia(const Model& model);

  /// From inertias, columns and rotors of the workspace. False where a speed moves no inertia. No allocation.
  bool update(const Workspace& ws) noexcept;

  /// nv columns; the first nv entries of each count, those behind them are zero.
  const MatrixX& matrix() const noexcept { return is_in_order_ ? rows_ : sorted_; }

  /// product = scale * inverse * a; nv rows each, and as many columns as the product has.
  void multiply(const MatrixX& a, double scale, Eigen::Ref<MatrixX> product) const noexcept;

 private:
  /// A body, in the order of a search depth first: those beyond it follow it, and so do their speeds.
  struct Piece {
    int body = 0;
    int parent = -1;  // piece; -1: the ground
    int first = 0;    // place of its first speed
    int end = 0;      // behind the last speed beyond it
    int slot = 0;     // of its accelerations
    bool is_leaf = true;
    bool is_last_child = false;  // of its parent: the first to hand over, and the last to take
    bool is_turn = false;        // one speed that turns about a line through its point
  };
  struct Column {
    SpatialVector H, U;  // U: inertia times H, of what is left when it is eliminated
    double inverse_D = 0.0;
  };

  bool inward(const Workspace& ws) noexcept;
  void outward(const Workspace& ws) noexcept;
  template <bool kTurn, bool kShift>
  void take_force(const Column& column, const Vec3& r, int place, int end) noexcept;
  template <bool kTurn>
  void accelerate(const Piece& piece, const Vec3& r) noexcept;
  void shift_forces(const Vec3& r, int first, int end) noexcept;
  double* row(int place) noexcept { return rows_.data() + place * stride_; }

  const Model& model_;
  int count_;
  std::ptrdiff_t stride_;
  std::vector<Piece> pieces_;
  std::vector<int> speed_at_;  // by place
  bool is_in_order_ = true;
  std::vector<SpatialInertia> beyond_;  // sums of what the children hand over
  std::vector<Column> columns_;         // by place
  std::vector<double> forces_;          // six rows: at the point of the body that is about to take them
  std::vector<double> accelerations_;   // six rows a slot
  MatrixX rows_, sorted_;
};

}  // namespace kinloop

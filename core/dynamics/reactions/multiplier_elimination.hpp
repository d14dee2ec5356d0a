// Owns MultiplierElimination: the wrenches that bodies hand inward, as functions of multipliers nobody knows yet.
//
// A body on the way inward carries W = W_0 + sum c_j x_j, x the multipliers of loops that are open there. Equations of
// joints, sum a_j x_j = b, come in as the sweep passes them. As soon as one has a good pivot its multiplier is
// substituted everywhere and forgotten until solve(); one without waits. So few multipliers are live at a time, however
// many there are, where loops do not overlap. Where they do there is an end as well: what acts on b bodies has at most
// 6 b independent columns, and a multiplier whose column depends on those of others may have any value. All constants
// are kept for several right sides at once: the loads, and self-stresses that show what statics leave open.
#pragma once

#include <array>
#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

/// Loads, then two self-stresses drawn at random: one alone may vanish by chance where a component is not determined.
inline constexpr int kRightSides = 3;
using RightSides = std::array<double, kRightSides>;
using CarriedWrench = std::array<SpatialVector, kRightSides>;

class MultiplierElimination {
 public:
  struct Multiplier {
    double length_m = 1.0;    // makes pure numbers of its wrenches
    RightSides free_value{};  // where nothing determines it
  };
  struct Sizes {
    int bodies = 0;
    int live = 0;   // at a time, at least smallest_room()
    int moved = 0;  // bodies that multipliers act on at a time
  };
  /// Live multipliers at a time for which there is always room: independent ones, those that wait, and the next one.
  static constexpr int smallest_room(int moved, int waiting) noexcept { return 6 * moved + waiting + 1; }

  explicit MultiplierElimination(const Sizes& sizes, const std::vector<Multiplier>& multipliers);

  /// Nothing is carried, no multiplier is live. Entries below the tolerance count as zero.
  void start(double tolerance) noexcept;

  CarriedWrench& carried(int body) noexcept { return carried_[body]; }
  const CarriedWrench& carried(int body) const noexcept { return carried_[body]; }

  /// May be a pivot at once, or only from allow() on: when all that depends on it has been said.
  enum class Role : char { kPivot, kWaiting };
  void add(int multiplier, Role role) noexcept;
  bool is_live(int multiplier) const noexcept { return place_[multiplier] >= 0; }
  void allow(int multiplier) noexcept { roles_[multiplier] = Role::kPivot; }
  /// A unit of a live multiplier adds the wrench to what the body carries.
  void act(int body, int multiplier, const SpatialVector& wrench) noexcept;
  /// What a body carries is handed to the one it hangs on, r further in; nowhere: to the ground.
  static constexpr int kGround = 0;
  void hand_over(int body, int parent, const Vec3& r) noexcept;

  /// A new equation over live multipliers, in pure numbers: begin_row(), then its parts, then end_row().
  void begin_row() noexcept;
  void add_entry(int multiplier, double value) noexcept {
    if (place_[multiplier] >= 0) row(row_count_)[place_[multiplier]] += value;
  }
  void add_constant(int side, double value) noexcept { row(row_count_)[max_live_ + side] += value; }
  /// column . W of the body, times the scale.
  void add_work(int body, const SpatialVector& column, double scale) noexcept;
  /// Substitutes what has a good pivot now.
  void end_row() noexcept;

  /// A multiplier of which no further equation will tell: it is taken from the equations that wait, or chosen, if
  /// nothing depends on it.
  void conclude(int multiplier) noexcept;
  /// The end. Then value() and imbalance() stand.
  void solve() noexcept;

  const RightSides& value(int multiplier) const noexcept { return value_[multiplier]; }
  /// The largest force that an equation without multipliers misses, in the units of the rows.
  double imbalance() const noexcept { return imbalance_; }
  /// Whether all multipliers found room: not where the sizes were too small.
  bool is_complete() const noexcept { return !is_full_; }

 private:
  struct Pivot {
    int row = -1, live = -1;
    double size = 0.0;
  };
  struct Substitution {
    int multiplier = -1;
    std::size_t begin = 0, end = 0;  // into terms_
    RightSides constant{};
  };
  struct Term {
    int multiplier = -1;
    double factor = 0.0;
  };

  double* row(int r) noexcept { return rows_.data() + static_cast<std::size_t>(r) * width_; }
  SpatialVector* columns(int block) noexcept {
    return columns_.data() + static_cast<std::size_t>(block) * static_cast<std::size_t>(max_live_);
  }
  int open_block(int body) noexcept;
  void close_block(int block) noexcept;
  Pivot largest_pivot() noexcept;
  Pivot largest_of(int live) noexcept;
  void take_pivots(double smallest) noexcept;
  void take(const Pivot& pivot) noexcept;
  void choose(int live) noexcept;
  void remove_live(int live) noexcept;
  void remove_row(int r) noexcept;
  void drop_empty_rows() noexcept;
  void drop_dependent_rows() noexcept;

  /// What a live multiplier does to the bodies and the waiting equations, one below the other.
  double* effect(int live) noexcept { return effects_.data() + static_cast<std::size_t>(live) * effect_size_; }
  void make_room() noexcept;
  void choose_dependents() noexcept;
  void copy_effects() noexcept;
  void keep_independents(Role role) noexcept;

  int max_live_;
  int max_rows_;
  std::size_t width_;  // of a row: live multipliers, then right sides
  std::size_t effect_size_;
  double tolerance_ = 0.0;
  double imbalance_ = 0.0;
  bool is_full_ = false;

  IndexedVector<Multiplier> multipliers_;
  IndexedVector<int> live_;   // multipliers
  IndexedVector<int> place_;  // of a multiplier among the live ones, -1: not live
  IndexedVector<Role> roles_;
  int live_count_ = 0;

  IndexedVector<CarriedWrench> carried_;
  IndexedVector<int> block_of_;  // body -> block, -1: no live multiplier acts on it
  IndexedVector<int> body_of_;   // block -> body
  IndexedVector<int> free_blocks_;
  int free_block_count_ = 0, block_count_ = 0;
  std::vector<SpatialVector> columns_;

  std::vector<double> rows_;
  int row_count_ = 0;

  IndexedVector<Substitution> substitutions_;
  int substitution_count_ = 0;
  std::vector<Term> terms_;
  std::size_t term_count_ = 0;
  IndexedVector<RightSides> value_;

  std::vector<double> effects_;
  IndexedVector<char> is_kept_;  // of a live multiplier: its effect is taken for independent
};

}  // namespace kinloop

// Gaussian elimination with pivots chosen by size among the equations that have come in so far.
#include "core/dynamics/reactions/multiplier_elimination.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Pivots from here on are taken at once: digits are lost by their inverse.
constexpr double kGoodPivot = 0.05;
/// A multiplier that no further equation tells of is content with this.
constexpr double kFairPivot = 1e-3;
/// Equations beyond the live multipliers that may wait.
constexpr int kWaitingRows = 8;

}  // namespace

MultiplierElimination::MultiplierElimination(const Sizes& sizes, const std::vector<Multiplier>& multipliers)
    : max_live_(sizes.live),
      max_rows_(sizes.live + kWaitingRows),
      width_(at(sizes.live + kRightSides)),
      effect_size_(at(6 * sizes.moved + max_rows_)),
      multipliers_(multipliers),
      live_(at(sizes.live), -1),
      place_(multipliers.size(), -1),
      roles_(multipliers.size(), Role::kPivot),
      carried_(at(sizes.bodies)),
      block_of_(at(sizes.bodies), -1),
      body_of_(at(sizes.moved), -1),
      free_blocks_(at(sizes.moved), 0),
      columns_(at(sizes.moved) * at(sizes.live)),
      rows_(at(max_rows_ + 1) * width_),
      substitutions_(multipliers.size()),
      terms_(multipliers.size() * at(sizes.live)),
      value_(multipliers.size()),
      effects_(at(sizes.live) * effect_size_),
      is_kept_(at(sizes.live), 0) {}

void MultiplierElimination::start(double tolerance) noexcept {
  tolerance_ = tolerance;
  imbalance_ = 0.0;
  is_full_ = false;
  live_count_ = row_count_ = substitution_count_ = block_count_ = free_block_count_ = 0;
  term_count_ = 0;
  std::fill(place_.begin(), place_.end(), -1);
  std::fill(block_of_.begin(), block_of_.end(), -1);
  std::fill(body_of_.begin(), body_of_.end(), -1);
  std::fill(value_.begin(), value_.end(), RightSides{});
}

void MultiplierElimination::add(int multiplier, Role role) noexcept {
  if (live_count_ == max_live_) make_room();
  if (live_count_ == max_live_) {
    is_full_ = true;
    return;
  }
  const int live = live_count_++;
  live_[live] = multiplier;
  place_[multiplier] = live;
  roles_[multiplier] = role;
  for (int b = 0; b < block_count_; ++b) columns(b)[live] = SpatialVector{};
  for (int r = 0; r < row_count_; ++r) row(r)[live] = 0.0;
}

int MultiplierElimination::open_block(int body) noexcept {
  if (block_of_[body] >= 0) return block_of_[body];
  int block = -1;
  if (free_block_count_ > 0) {
    block = free_blocks_[--free_block_count_];
  } else if (block_count_ < body_of_.count()) {
    block = block_count_++;
  } else {
    is_full_ = true;
    return -1;
  }
  block_of_[body] = block;
  body_of_[block] = body;
  std::fill_n(columns(block), live_count_, SpatialVector{});
  return block;
}

void MultiplierElimination::close_block(int block) noexcept {
  block_of_[body_of_[block]] = -1;
  body_of_[block] = -1;
  free_blocks_[free_block_count_++] = block;
}

void MultiplierElimination::act(int body, int multiplier, const SpatialVector& wrench) noexcept {
  const int live = place_[multiplier];
  if (live < 0) return;  // no room: is_complete() says so
  const int block = open_block(body);
  if (block >= 0) columns(block)[live] = columns(block)[live] + wrench;
}

void MultiplierElimination::hand_over(int body, int parent, const Vec3& r) noexcept {
  const int block = block_of_[body];
  if (parent == kGround) {
    if (block >= 0) close_block(block);
    return;
  }
  for (int side = 0; side < kRightSides; ++side) {
    SpatialVector& sum = carried_[parent][at(side)];
    sum = sum + shift_force(carried_[body][at(side)], r);
  }
  if (block < 0) return;
  if (live_count_ > 0) {
    const int inner = open_block(parent);
    if (inner >= 0) {
      const SpatialVector* const from = columns(block);
      SpatialVector* const to = columns(inner);
      for (int j = 0; j < live_count_; ++j) to[j] = to[j] + shift_force(from[j], r);
    }
  }
  close_block(block);
}

void MultiplierElimination::begin_row() noexcept {
  if (row_count_ == max_rows_) drop_dependent_rows();  // as many stay as there are live multipliers, at most
  std::fill_n(row(row_count_), width_, 0.0);
}

void MultiplierElimination::add_work(int body, const SpatialVector& column, double scale) noexcept {
  double* const entries = row(row_count_);
  for (int side = 0; side < kRightSides; ++side) {
    entries[max_live_ + side] -= scale * dot(column, carried_[body][at(side)]);
  }
  const int block = block_of_[body];
  if (block < 0) return;
  const SpatialVector* const c = columns(block);
  for (int j = 0; j < live_count_; ++j) entries[j] += scale * dot(column, c[j]);
}

void MultiplierElimination::end_row() noexcept {
  double* const entries = row(row_count_);
  double largest = 1.0;
  for (int j = 0; j < live_count_; ++j) largest = std::max(largest, std::abs(entries[j]));
  if (largest > 1.0) {
    for (int j = 0; j < live_count_; ++j) entries[j] /= largest;
    for (int side = 0; side < kRightSides; ++side) entries[max_live_ + side] /= largest;
  }
  ++row_count_;
  take_pivots(kGoodPivot);
  drop_empty_rows();
}

MultiplierElimination::Pivot MultiplierElimination::largest_of(int live) noexcept {
  Pivot best;
  if (roles_[live_[live]] != Role::kPivot) return best;
  for (int r = 0; r < row_count_; ++r) {
    const double size = std::abs(row(r)[live]);
    if (size > best.size) best = {r, live, size};
  }
  return best;
}

MultiplierElimination::Pivot MultiplierElimination::largest_pivot() noexcept {
  Pivot best;
  for (int j = 0; j < live_count_; ++j) {
    const Pivot pivot = largest_of(j);
    // The margin keeps entries that are equal but for rounding in their order.
    if (pivot.size > best.size * (1.0 + 1e-9)) best = pivot;
  }
  return best;
}

void MultiplierElimination::take_pivots(double smallest) noexcept {
  while (row_count_ > 0 && live_count_ > 0) {
    const Pivot pivot = largest_pivot();
    if (!(pivot.size > smallest)) return;
    take(pivot);
  }
}

void MultiplierElimination::take(const Pivot& pivot) noexcept {
  double* const own = row(pivot.row);
  const double inverse = 1.0 / own[pivot.live];
  Substitution& made = substitutions_[substitution_count_++];
  made.multiplier = live_[pivot.live];
  made.begin = term_count_;
  for (int j = 0; j < live_count_; ++j) {
    own[j] *= inverse;
    if (j != pivot.live && own[j] != 0.0) terms_[term_count_++] = {live_[j], own[j]};
  }
  made.end = term_count_;
  for (int side = 0; side < kRightSides; ++side) {
    own[max_live_ + side] *= inverse;
    made.constant[at(side)] = own[max_live_ + side];
  }
  for (int r = 0; r < row_count_; ++r) {
    const double factor = row(r)[pivot.live];
    if (r == pivot.row || factor == 0.0) continue;
    for (int j = 0; j < live_count_; ++j) row(r)[j] -= factor * own[j];
    for (int side = 0; side < kRightSides; ++side) row(r)[max_live_ + side] -= factor * own[max_live_ + side];
  }
  for (int b = 0; b < block_count_; ++b) {
    if (body_of_[b] < 0) continue;
    SpatialVector* const c = columns(b);
    const SpatialVector taken = c[pivot.live];
    for (int j = 0; j < live_count_; ++j) {
      if (own[j] != 0.0) c[j] = c[j] - own[j] * taken;
    }
    CarriedWrench& carried = carried_[body_of_[b]];
    for (int side = 0; side < kRightSides; ++side) {
      carried[at(side)] = carried[at(side)] + own[max_live_ + side] * taken;
    }
  }
  remove_row(pivot.row);
  remove_live(pivot.live);
}

/// Nothing determines the multiplier.
void MultiplierElimination::choose(int live) noexcept {
  const RightSides& value = multipliers_[live_[live]].free_value;
  Substitution& made = substitutions_[substitution_count_++];
  made = {live_[live], term_count_, term_count_, value};
  for (int r = 0; r < row_count_; ++r) {
    for (int side = 0; side < kRightSides; ++side) row(r)[max_live_ + side] -= row(r)[live] * value[at(side)];
  }
  for (int b = 0; b < block_count_; ++b) {
    if (body_of_[b] < 0) continue;
    CarriedWrench& carried = carried_[body_of_[b]];
    for (int side = 0; side < kRightSides; ++side) {
      carried[at(side)] = carried[at(side)] + value[at(side)] * columns(b)[live];
    }
  }
  remove_live(live);
}

void MultiplierElimination::remove_live(int live) noexcept {
  const int last = --live_count_;
  place_[live_[live]] = -1;
  if (live == last) return;
  live_[live] = live_[last];
  place_[live_[live]] = live;
  for (int r = 0; r < row_count_; ++r) row(r)[live] = row(r)[last];
  for (int b = 0; b < block_count_; ++b) columns(b)[live] = columns(b)[last];
}

void MultiplierElimination::remove_row(int r) noexcept {
  --row_count_;
  if (r != row_count_) std::copy_n(row(row_count_), width_, row(r));
}

/// What is left of equations without multipliers must be nothing.
void MultiplierElimination::drop_empty_rows() noexcept {
  for (int r = row_count_ - 1; r >= 0; --r) {
    const double* const entries = row(r);
    const bool is_empty =
        std::all_of(entries, entries + live_count_, [&](double entry) { return std::abs(entry) <= tolerance_; });
    if (!is_empty) continue;
    imbalance_ = std::max(imbalance_, std::abs(entries[max_live_]));
    remove_row(r);
  }
}

/// Gaussian elimination among the equations: those that others imply end without multipliers.
void MultiplierElimination::drop_dependent_rows() noexcept {
  for (int done = 0; done < row_count_; ++done) {
    Pivot pivot;
    for (int r = done; r < row_count_; ++r) {
      for (int j = 0; j < live_count_; ++j) {
        const double size = std::abs(row(r)[j]);
        if (size > pivot.size) pivot = {r, j, size};
      }
    }
    if (!(pivot.size > tolerance_)) break;
    std::swap_ranges(row(done), row(done) + width_, row(pivot.row));
    const double* const own = row(done);
    for (int r = done + 1; r < row_count_; ++r) {
      double* const other = row(r);
      const double factor = other[pivot.live] / own[pivot.live];
      if (factor == 0.0) continue;
      for (std::size_t j = 0; j < width_; ++j) other[j] -= factor * own[j];
      other[pivot.live] = 0.0;
    }
  }
  drop_empty_rows();
}

/// Equations with fair pivots first; with any pivot only where that was not enough. A quarter of the room is freed, so
/// that this is seldom done.
void MultiplierElimination::make_room() noexcept {
  for (const double smallest : {kFairPivot, tolerance_}) {
    if (4 * live_count_ <= 3 * max_live_) return;
    take_pivots(smallest);
    choose_dependents();
  }
}

/// A multiplier that does nothing that others could not do as well: for every value of it there are values of theirs.
void MultiplierElimination::choose_dependents() noexcept {
  copy_effects();
  std::fill_n(is_kept_.begin(), live_count_, char{0});
  keep_independents(Role::kWaiting);  // their equations are still to come
  keep_independents(Role::kPivot);
  for (int j = live_count_ - 1; j >= 0; --j) {  // from the end, which moves into the place of what is removed
    if (is_kept_[j] == 0 && roles_[live_[j]] == Role::kPivot) choose(j);
  }
}

void MultiplierElimination::copy_effects() noexcept {
  for (int j = 0; j < live_count_; ++j) {
    double* out = effect(j);
    const double length_m = multipliers_[live_[j]].length_m;
    for (int b = 0; b < body_of_.count(); ++b) {
      const bool is_open = b < block_count_ && body_of_[b] >= 0;
      for (int i = 0; i < 3; ++i) *out++ = is_open ? columns(b)[j].angular[i] : 0.0;
      for (int i = 0; i < 3; ++i) *out++ = is_open ? length_m * columns(b)[j].linear[i] : 0.0;
    }
    for (int r = 0; r < max_rows_; ++r) *out++ = r < row_count_ ? row(r)[j] : 0.0;
  }
}

/// Every pivot empties one entry of all others, so that no more are kept than effects have entries.
void MultiplierElimination::keep_independents(Role role) noexcept {
  for (int count = 0; count < live_count_; ++count) {
    int best = -1;
    std::size_t entry = 0;
    double largest = tolerance_;
    for (int j = 0; j < live_count_; ++j) {
      if (is_kept_[j] != 0 || roles_[live_[j]] != role) continue;
      for (std::size_t i = 0; i < effect_size_; ++i) {
        if (!(std::abs(effect(j)[i]) > largest)) continue;
        best = j;
        entry = i;
        largest = std::abs(effect(j)[i]);
      }
    }
    if (best < 0) return;
    is_kept_[best] = 1;
    const double* const own = effect(best);
    for (int j = 0; j < live_count_; ++j) {
      double* const other = effect(j);
      const double factor = other[entry] / own[entry];
      if (is_kept_[j] != 0 || factor == 0.0) continue;
      for (std::size_t i = 0; i < effect_size_; ++i) other[i] -= factor * own[i];
      other[entry] = 0.0;
    }
  }
}

void MultiplierElimination::conclude(int multiplier) noexcept {
  const int live = place_[multiplier];
  if (live < 0) return;
  const Pivot pivot = largest_of(live);
  if (pivot.size > kFairPivot) return take(pivot);
  if (pivot.size > tolerance_) return;  // it may become better where others are known
  const double length_m = multipliers_[multiplier].length_m;
  for (int b = 0; b < block_count_; ++b) {
    if (body_of_[b] < 0) continue;
    const SpatialVector& c = columns(b)[live];
    const double size2 = dot(c.angular, c.angular) + length_m * length_m * dot(c.linear, c.linear);
    if (size2 > tolerance_ * tolerance_) return;
  }
  choose(live);
}

void MultiplierElimination::solve() noexcept {
  for (int j = 0; j < live_count_; ++j) roles_[live_[j]] = Role::kPivot;
  take_pivots(tolerance_);
  while (live_count_ > 0) choose(live_count_ - 1);
  drop_empty_rows();
  for (int s = substitution_count_ - 1; s >= 0; --s) {
    const Substitution& made = substitutions_[s];
    RightSides value = made.constant;
    for (std::size_t t = made.begin; t < made.end; ++t) {
      const RightSides& other = value_[terms_[t].multiplier];
      for (int side = 0; side < kRightSides; ++side) value[at(side)] -= terms_[t].factor * other[at(side)];
    }
    value_[made.multiplier] = value;
  }
}

}  // namespace kinloop

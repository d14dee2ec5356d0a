// Takes strong pivots, and turns the rows that are left into rows of the segment inward.
#include "core/dynamics/rcr/delaying_segment.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/rcr/segment_matrices.hpp"
#include "core/dynamics/rcr/segment_rows.hpp"
#include "core/dynamics/rcr/segment_vectors.hpp"

namespace kinloop {
namespace {

int place_among(const IndexedVector<int>& list, int body) {
  const auto found = std::find(list.begin(), list.end(), body);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

template <class Child, class Most>
int max_from(const IndexedVector<Child*>& outward, Most most) {
  int sum = 0;
  for (const Child* segment : outward) sum += most(*segment);
  return sum;
}

}  // namespace

template <class Algebra>
DelayingSegment<Algebra>::DelayingSegment(const Segment& segment, const Mechanism& mechanism, Rows rows,
                                          const IndexedVector<DelayingSegment*>& outward)
    : mechanism_(mechanism),
      m_(segment, mechanism, row_count(segment, mechanism.rows),
         max_from(outward, [](const DelayingSegment& s) { return s.max_delayed_; })) {
  int max_rows = row_count(segment, mechanism.rows);
  max_unknowns_ = segment.slots.count();
  for (DelayingSegment* const child : outward) {
    max_rows += child->max_delayed_;
    max_unknowns_ += child->max_delayed_;
    Child& own = children_.emplace_back(Child{child, {}, {}});
    for (const int b : child->m_.segment.boundary) {
      own.inside.push_back(place_among(segment.bodies, b));
      own.boundary.push_back(place_among(segment.boundary, b));
    }
  }
  max_delayed_ = rows == Rows::kDelayed ? std::min(max_rows, 6 * m_.boundary_count()) : 0;
  largest_B_ = at(max_unknowns_ * m_.boundary_count());
  const std::size_t rows_out = at(max_delayed_);
  row_.resize(rows_out);
  P_.resize(rows_out * at(max_unknowns_));
  Q_.resize(P_.size());
  R_.resize(rows_out * rows_out);
  X_.resize(rows_out * at(m_.boundary_count()));
  s_.resize(rows_out);
  size_.resize(rows_out);
  z_.resize(rows_out);
}

template <class Algebra>
void DelayingSegment<Algebra>::prepare(const Mechanism& mechanism) noexcept {
  rcr::place_columns(mechanism, m_);
}

template <class Algebra>
void DelayingSegment<Algebra>::choose(double tolerance) noexcept {
  tolerance_ = tolerance;
  held_ = false;
}

template <class Algebra>
void DelayingSegment<Algebra>::hold(const Mechanism& /*mechanism*/) noexcept {
  held_ = true;
}

template <class Algebra>
void DelayingSegment<Algebra>::watch(RcrBasis& basis) noexcept {
  rcr::watch(delayed_, m_, basis);
}

template <class Algebra>
bool DelayingSegment<Algebra>::factorize(const typename Algebra::View& view, Shared& all) noexcept {
  fill_rows();
  if (held_) {
    pivot_held();
  } else {
    pivot();
  }
  for (int w = 0; w < delayed_; ++w) m_.closing.set_aside(row_[w]);  // no row of this segment
  m_.closing.reconcile();
  rcr::assemble(view, all, m_);
  const rcr::Ranks rank{m_.closing.rank(), m_.closing.independents()};
  rcr::depend(rank, m_);
  const bool regular = rcr::reduce(rank, all, m_);
  rcr::hand_over(rank, m_, all);
  delay_rows();
  return regular;
}

template <class Algebra>
void DelayingSegment<Algebra>::fill_rows() noexcept {
  int count = 0;
  for (const Child& child : children_) count += child.segment->delayed_;
  m_.set_delayed(count);
  rcr::fill_rows(mechanism_, m_);
  int r = m_.own_rows();
  int z = m_.own_unknowns();
  for (const Child& child : children_) {
    DelayingSegment& from = *child.segment;
    for (int w = 0; w < from.delayed_; ++w, ++r) {
      double* const S = m_.closing.row(r);
      for (int e = 0; e < m_.boundary_count(); ++e) m_.X(e, r) = {};
      for (int e = 0; e < from.m_.boundary_count(); ++e) {
        const int place = child.inside[e];
        if (place < 0) {
          m_.X(child.boundary[e], r) = m_.X(child.boundary[e], r) + from.X(w, e);
          continue;
        }
        const Vector here = shift_force(from.X(w, e), m_.y[place]);
        m_.for_path(place, [&](int j) { S[j] += dot(here, m_.c[j]); });
        if (m_.boundary_count() > 0) m_.X(0, r) = m_.X(0, r) + here;
      }
      for (int v = 0; v <= w; ++v) S[z + v] = from.R(w, v);
    }
    for (int w = 0; w < from.delayed_; ++w) m_.closing.set_size(z++, from.size_[w]);
  }
  m_.keep_rows();
}

template <class Algebra>
void DelayingSegment<Algebra>::pivot() noexcept {
  m_.closing.start();
  m_.closing.take_all(tolerance_, max_delayed_ > 0 ? std::max(kStrongPivot, tolerance_) : tolerance_);
  delayed_ = 0;
  for (int i = 0; i < m_.closing.open_rows() && delayed_ < max_delayed_; ++i) {
    const int r = m_.closing.open_row(i);
    if (outside(r) > std::max(tolerance_, m_.closing.share_of(r))) row_[delayed_++] = r;
  }
  for (int w = 0; w < delayed_; ++w) m_.closing.set_aside(row_[w]);
  m_.closing.take_all(tolerance_, tolerance_);
  m_.closing.keep();
}

template <class Algebra>
void DelayingSegment<Algebra>::pivot_held() noexcept {
  if (m_.closing.solve_again(kWeakened, kSmallestPivotShare)) return;
  fill_rows();
  m_.closing.start();
  for (int w = 0; w < delayed_; ++w) m_.closing.set_aside(row_[w]);
  m_.closing.take_all(kSmallestPivotShare, kSmallestPivotShare, m_.closing.kept());
  m_.closing.keep_held();
}

template <class Algebra>
auto DelayingSegment<Algebra>::left_X(int r, int e) const noexcept -> Vector {
  Vector sum;
  for (int i = 0; i < m_.rows(); ++i) sum = sum + m_.closing.summed(r, i) * m_.X(e, i);
  return sum;
}

template <class Algebra>
double DelayingSegment<Algebra>::outside(int r) const noexcept {
  double largest2 = 0.0;
  for (int e = 0; e < m_.boundary_count(); ++e) {
    const Vector x = left_X(r, e);
    const double size2 = turning2(x) + m_.length_m * m_.length_m * moving2(x);
    largest2 = std::max(largest2, size2);
  }
  return std::sqrt(largest2);
}

template <class Algebra>
void DelayingSegment<Algebra>::delay_rows() noexcept {
  const int independents = m_.closing.independents();
  for (int w = 0; w < delayed_; ++w) {
    const int r = row_[w];
    for (int a = 0; a < independents; ++a) {
      double sum = m_.closing.left(r, m_.closing.independent(a));
      for (int b = 0; b < a; ++b) sum -= m_.L(a, b) * P(w, b);
      P(w, a) = Q(w, a) = sum * m_.L(a, a);
    }
    for (int e = 0; e < m_.boundary_count(); ++e) {
      Vector sum = left_X(r, e);
      for (int a = 0; a < independents; ++a) sum = sum - P(w, a) * m_.g(e, a);
      X(w, e) = sum;
    }
    for (int v = 0; v <= w; ++v) R(w, v) = 0.0;
    double whole2 = 0.0;
    for (int a = 0; a < independents; ++a) whole2 += P(w, a) * P(w, a);
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough to be orthogonal to rounding
      for (int v = 0; v < w; ++v) {
        double along = 0.0;
        for (int a = 0; a < independents; ++a) along += Q(w, a) * Q(v, a);
        for (int a = 0; a < independents; ++a) Q(w, a) -= along * Q(v, a);
        R(w, v) += along;
      }
    }
    double left2 = 0.0;
    for (int a = 0; a < independents; ++a) left2 += Q(w, a) * Q(w, a);
    constexpr double kRounding2 = 1e-28;
    const bool stands_out = left2 > kRounding2 * whole2;
    R(w, w) = stands_out ? std::sqrt(left2) : 0.0;
    for (int a = 0; a < independents; ++a) Q(w, a) = stands_out ? Q(w, a) / R(w, w) : 0.0;
    size_[w] = motion_of(w);
  }
}

/// The largest motion of an unknown for a unit of z; 1 where there is none. Uses m_.u.
template <class Algebra>
double DelayingSegment<Algebra>::motion_of(int w) noexcept {
  const int independents = m_.closing.independents();
  double largest = 0.0;
  for (int a = independents - 1; a >= 0; --a) {
    double sum = Q(w, a);
    for (int b = a + 1; b < independents; ++b) sum -= m_.L(b, a) * m_.u[m_.closing.independent(b)];
    const int j = m_.closing.independent(a);
    m_.u[j] = sum * m_.L(a, a);
    largest = std::max(largest, std::abs(m_.u[j]) * m_.closing.size_of(j));
  }
  for (int d = 0; d < m_.closing.rank(); ++d) {
    double sum = 0.0;
    for (int a = 0; a < independents; ++a) {
      const int j = m_.closing.independent(a);
      sum += m_.closing.T(d, j) * m_.u[j];
    }
    largest = std::max(largest, std::abs(sum) * m_.closing.size_of(m_.closing.dependent(d)));
  }
  return largest > 0.0 ? largest : 1.0;
}

template <class Algebra>
void DelayingSegment<Algebra>::inward(const Mechanism& mechanism, const RcrTarget<Algebra>& wanted, const VectorX& tau,
                                      Shared& all) noexcept {
  rcr::gather_forces(mechanism, wanted, tau, all, m_);
  if (!m_.moves) {
    for (int r = 0; r < m_.own_rows(); ++r) m_.s[r] = 0.0;
  }
  int r = m_.own_rows();
  for (const Child& child : children_) {
    DelayingSegment& from = *child.segment;
    for (int w = 0; w < from.delayed_; ++w, ++r) {
      double sum = from.s_[w];
      for (int e = 0; m_.is_biased() && e < from.m_.boundary_count(); ++e) {
        const int place = child.inside[e];
        if (place >= 0) sum += dot(shift_force(from.X(w, e), m_.y[place]), m_.bias[place]);
      }
      m_.s[r] = sum;
    }
  }
  m_.moves = true;  // rows from outward move by the forces there
  const rcr::Ranks rank{m_.closing.rank(), m_.closing.independents()};
  if (all.is_refinement) rcr::balance_by_multipliers(rank, all, m_);
  rcr::reduce_forces(rank, all, m_);
  for (int w = 0; w < delayed_; ++w) {
    double sum = 0.0;
    for (int i = 0; i < m_.rows(); ++i) sum += m_.closing.summed(row_[w], i) * m_.s[i];
    for (int a = 0; a < m_.closing.independents(); ++a) sum += P(w, a) * m_.reduced[a];
    s_[w] = sum;
  }
}

template <class Algebra>
void DelayingSegment<Algebra>::outward(Shared& all) noexcept {
  for (int w = 0; w < delayed_; ++w) {
    for (int a = 0; a < m_.closing.independents(); ++a) m_.reduced[a] += z_[w] * Q(w, a);
  }
  rcr::outward(rcr::Ranks{m_.closing.rank(), m_.closing.independents()}, all, m_);
  int z = m_.own_unknowns();
  for (const Child& child : children_) {
    for (int w = 0; w < child.segment->delayed_; ++w) child.segment->z_[w] = m_.u[z++];
  }
}

template class DelayingSegment<SpatialAlgebra>;
template class DelayingSegment<PlanarAlgebra>;

}  // namespace kinloop

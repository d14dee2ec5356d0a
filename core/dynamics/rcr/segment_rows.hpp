// The closing conditions of a segment: S u + sum X_e A_e + s = 0, one row for each direction that a closing joint
// blocks and for each coupling.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/dynamics/rcr/rcr_mechanism.hpp"
#include "core/dynamics/rcr/segment_memory.hpp"

namespace kinloop::rcr {

/// rad, or lengths of the mechanism; 1 where nothing moves.
template <class Vector>
double size_of(const Vector& column, double length_m) noexcept {
  const double size2 = turning2(column) + moving2(column) / (length_m * length_m);
  return size2 > 0.0 ? std::sqrt(size2) : 1.0;
}

/// The larger of its two entries has size 1, as a row of a loop has.
template <class Memory>
void fill_coupling(std::size_t i, const typename Memory::Mechanism& mechanism, int r, Memory& m) noexcept {
  const SegmentCoupling& coupling = m.segment.couplings[i];
  const auto per_size = [&](int j) {
    return j < 0 ? 0.0 : 1.0 / size_of(mechanism.motion.column[m.unknown[j].slot], m.length_m);
  };
  const double largest = std::max(per_size(coupling.dependent), std::abs(coupling.ratio) * per_size(coupling.of));
  const double scale = largest > 0.0 ? 1.0 / largest : 0.0;
  m.coupling_scale[i] = scale;
  double* S = m.closing.row(r);
  if (coupling.dependent >= 0) S[coupling.dependent] += scale;
  if (coupling.of >= 0) S[coupling.of] -= scale * coupling.ratio;
  m.row[r] = {};
  for (int e = 0; e < m.boundary_count(); ++e) m.X(e, r) = {};
}

/// What the unknowns between the two ends of a loop move along its rows. Arms to the closing point are summed up from
/// there: seen from the segment's parent, a link of millimetres at the end of a boom of metres would lose its digits.
template <class Memory>
void fill_path(const typename Memory::Mechanism& mechanism, const SegmentClosing& closing, int first_row,
               Memory& m) noexcept {
  struct End {
    int place;
    typename Memory::Arm arm;
    double sign;
  };
  const auto index = at(closing.index);
  End tip{closing.tip, mechanism.motion.tip_arm[index], 1.0};
  End base{closing.base, mechanism.motion.base_arm[index], -1.0};
  while (tip.place != base.place) {  // what moves both moves neither against the other
    End& outer = tip.place > base.place ? tip : base;
    for (int j = m.first(outer.place); j < m.end(outer.place); ++j) {
      const auto column = outer.sign * shift_motion(mechanism.motion.column[m.unknown[j].slot], outer.arm);
      int r = first_row;
      for (const auto& row : mechanism.rows.of(index)) m.closing.row(r++)[j] = dot(row, column);
    }
    outer.arm += mechanism.motion.r[m.link[outer.place].body];
    outer.place = m.up(outer.place);
  }
}

/// S and X.
template <class Memory>
void fill_rows(const typename Memory::Mechanism& mechanism, Memory& m) noexcept {
  m.closing.clear();
  for (int j = 0; j < m.own_unknowns(); ++j) {
    m.closing.set_size(j, size_of(mechanism.motion.column[m.unknown[j].slot], m.length_m));
  }
  int r = 0;
  for (const SegmentClosing& closing : m.segment.closings) {
    const auto index = at(closing.index);
    const auto arm = m.y[closing.tip] + mechanism.motion.tip_arm[index];
    fill_path(mechanism, closing, r, m);
    for (const auto& row : mechanism.rows.of(index)) {
      double* S = m.closing.row(r);
      const auto here = shift_force(row, arm);
      m.row[r] = here;
      for (int j = closing.first_slot; j < closing.first_slot + closing.slots; ++j) {
        S[j] = -dot(row, mechanism.motion.column[m.unknown[j].slot]);
      }
      for (int e = 0; e < m.boundary_count(); ++e) m.X(e, r) = {};
      if (!closing.relative && m.boundary_count() > 0) {
        m.X(0, r) = here;
        if (closing.base_boundary >= 0) {
          m.X(closing.base_boundary, r) = -shift_force(row, mechanism.motion.base_arm[index]);
        }
      }
      ++r;
    }
  }
  for (int i = 0; i < m.segment.couplings.count(); ++i) fill_coupling(i, mechanism, r++, m);
}

/// s of the segment's own rows.
template <class Memory>
void find_s(const typename Memory::Mechanism& mechanism, const typename Memory::Target& wanted, Memory& m) noexcept {
  int r = 0;
  for (const SegmentClosing& closing : m.segment.closings) {
    const auto index = at(closing.index);
    auto gap = m.bias[closing.tip];
    if (closing.base >= 0) gap = gap - m.bias[closing.base];
    if (closing.loop >= 0) {
      const auto arm = m.y[closing.tip] + mechanism.motion.tip_arm[index];
      gap = gap - closing.sign * shift_motion(wanted.loop[closing.loop], -arm);
    }
    const int end = r + static_cast<int>(mechanism.rows.of(index).size());
    for (; r < end; ++r) m.s[r] = dot(m.row[r], gap);
  }
  for (int i = 0; i < m.segment.couplings.count(); ++i) {
    m.s[r++] = -m.coupling_scale[i] * (*wanted.coupling)[m.segment.couplings[i].index];
  }
}

/// What of the dependents follows from no other unknown.
template <class Rank, class Memory>
void find_eps(const Rank& rank, Memory& m) noexcept {
  for (int d = 0; d < rank.dependents; ++d) {
    double sum = 0.0;
    if (m.moves) {
      for (int i = 0; i < m.rows(); ++i) sum -= m.closing.J(d, i) * m.s[i];
    }
    m.eps[d] = sum;
  }
}

/// Adds the basis of this segment to that of all; `delayed` of its rows are left to others.
template <class Memory>
void watch(int delayed, Memory& m, RcrBasis& basis) noexcept {
  basis.free += m.closing.independents() - delayed;
  basis.smallest = std::min(basis.smallest, m.closing.smallest_pivot());
  basis.lost_rows = basis.lost_rows || m.closing.rank() + delayed < m.rows();
  for (int i = 0; i < m.closing.open_rows(); ++i) {
    basis.left = std::max(basis.left, m.closing.share_of(m.closing.open_row(i)));
  }
  // A sum that tells sets apart well enough for a counter.
  unsigned sum = 1;
  for (int d = 0; d < m.closing.rank(); ++d) sum += 1U << (static_cast<unsigned>(m.closing.dependent(d)) % 32U);
  basis.switched = basis.switched || (m.last_basis != 0 && m.last_basis != sum);
  m.last_basis = sum;
}

}  // namespace kinloop::rcr

// The matrices of a segment: columns, inertia, and what its elimination leaves to the boundary bodies.
#pragma once

#include <cmath>

#include "core/base/at.hpp"
#include "core/dynamics/rcr/rcr_mechanism.hpp"
#include "core/dynamics/rcr/segment_inertia.hpp"
#include "core/dynamics/rcr/segment_memory.hpp"
#include "core/math/tree_factorization.hpp"

namespace kinloop::rcr {

template <class Memory>
void place_columns(const typename Memory::Mechanism& mechanism, Memory& m) noexcept {
  for (int i = 0; i < m.bodies(); ++i) {
    const SegmentLink& link = m.link[i];
    const auto& r = mechanism.motion.r[link.body];
    const auto top = m.segment.parent == 0 ? r - mechanism.motion.r[m.link[0].body] : r;
    m.y[i] = m.up(i) >= 0 ? m.y[m.up(i)] + r : top;
    for (int j = m.first(i); j < m.end(i); ++j) {
      m.c[j] = shift_motion(mechanism.motion.column[m.unknown[j].slot], -m.y[i]);
    }
  }
}

/// An inertia between a body and an ancestor, left by a loop further out (GCL).
template <class Memory>
void add_cross(const SegmentCross& cross, typename Memory::Shared& all, Memory& m) noexcept {
  typename Memory::Block K = dense_shift(m.y[cross.place]).transpose() * all.cross[cross.block];
  const bool inside = cross.inside >= 0;
  if (inside) K = K * dense_shift(m.y[cross.inside]);
  m.for_path(cross.place, [&](int j) {
    const auto along = transposed_times(K, m.c[j]);
    if (m.boundary_count() > 0) {
      auto& sum = m.B(inside ? 0 : cross.boundary, j, all);
      sum = sum + along;
    }
    if (!inside) return;
    m.for_path(cross.inside, [&](int l) {
      const double value = dot(along, m.c[l]);
      m.M(j, l) += value;
      m.M(l, j) += value;
    });
  });
  if (m.boundary_count() == 0) return;
  if (inside) m.for_path(cross.inside, [&](int l) { m.B(0, l, all) = m.B(0, l, all) + times(K, m.c[l]); });
  if (inside || cross.boundary == 0) {
    add_matrix(K + K.transpose(), all.composite[0]);
  } else {
    all.cross[cross.handed_on] += K;
  }
}

/// M, and B of every boundary.
template <class Memory>
void assemble(const typename Memory::View& view, typename Memory::Shared& all, Memory& m) noexcept {
  typename Memory::Inertia* const composite = all.composite.data();
  for (int i = 0; i < m.bodies(); ++i) {
    const SegmentLink& link = m.link[i];
    composite[i] = link.gathers ? shifted(all.K[link.body], m.y[i]) : shifted_body(view, link.body, link.mass, m.y[i]);
  }
  for (int i = m.bodies(); i-- > 1;) {
    if (m.up(i) >= 0) add(composite[m.up(i)], composite[i]);
  }
  if (m.leaves_zeros) m.clear_M();
  if (m.leaves_gaps) {
    for (int i = 0; i < m.boundary_count() * m.unknowns(); ++i) all.B[i] = {};
  }
  for (int i = 0; i < m.bodies(); ++i) {
    for (int j = m.first(i); j < m.end(i); ++j) {
      const auto inertia = composite[i] * m.c[j];
      if (m.boundary_count() > 0) m.B(0, j, all) = inertia;
      m.for_path(i, [&](int l) { m.M(j, l) = m.M(l, j) = dot(m.c[l], inertia); });
    }
  }
  const VectorX& armatures = view.workspace().armature;
  for (int j = 0; j < m.unknowns(); ++j) {
    const double armature = m.unknown[j].speed >= 0 ? armatures[m.unknown[j].speed] : m.unknown[j].armature;
    m.M(j, j) = m.unknown[j].body >= 0 ? m.M(j, j) + armature : armature;
  }
  for (const SegmentCross& cross : m.segment.crosses) add_cross(cross, all, m);
}

/// E: what the dependents owe to the boundary bodies.
template <class Rank, class Memory>
void depend(const Rank& rank, Memory& m) noexcept {
  for (int e = 0; e < m.boundary_count(); ++e) {
    for (int d = 0; d < rank.dependents; ++d) {
      typename Memory::Vector sum;
      for (int r = 0; r < m.rows(); ++r) sum = sum - m.closing.J(d, r) * m.X(e, r);
      m.E(e, d) = sum;
    }
  }
}

/// Eliminates the independents. False if one of them moves no inertia.
template <class Rank, class Memory>
bool reduce(const Rank& rank, typename Memory::Shared& all, Memory& m) noexcept {
  const int dependents = rank.dependents;
  const int independents = rank.independents;
  for (int b = 0; b < independents; ++b) {
    const int slot = m.closing.independent(b);
    for (int i = 0; i < m.unknowns(); ++i) {
      double sum = m.M(i, slot);
      for (int d = 0; d < dependents; ++d) sum += m.M(i, m.closing.dependent(d)) * m.closing.T(d, slot);
      m.u[i] = sum;
    }
    for (int a = b; a < independents; ++a) {
      const int other = m.closing.independent(a);
      double sum = m.u[other];
      for (int d = 0; d < dependents; ++d) sum += m.closing.T(d, other) * m.u[m.closing.dependent(d)];
      m.L(a, b) = sum;
    }
  }
  for (int j = 0; j < independents; ++j) {
    const double whole = m.L(j, j);
    double pivot = whole;
    for (int k = 0; k < j; ++k) pivot -= m.L(j, k) * m.L(j, k);
    if (!(pivot > kSmallestPivot * whole)) return false;
    m.L(j, j) = 1.0 / std::sqrt(pivot);
    for (int i = j + 1; i < independents; ++i) {
      double sum = m.L(i, j);
      for (int k = 0; k < j; ++k) sum -= m.L(i, k) * m.L(j, k);
      m.L(i, j) = sum * m.L(j, j);
    }
  }
  for (int e = 0; e < m.boundary_count(); ++e) {
    for (int i = 0; i < m.unknowns(); ++i) {
      auto sum = m.B(e, i, all);
      for (int d = 0; d < dependents; ++d) sum = sum + m.M(i, m.closing.dependent(d)) * m.E(e, d);
      m.Z(e, i) = sum;
    }
    for (int a = 0; a < independents; ++a) {
      const int slot = m.closing.independent(a);
      auto sum = m.Z(e, slot);
      for (int d = 0; d < dependents; ++d) sum = sum + m.closing.T(d, slot) * m.Z(e, m.closing.dependent(d));
      for (int b = 0; b < a; ++b) sum = sum - m.L(a, b) * m.g(e, b);
      m.g(e, a) = m.L(a, a) * sum;
    }
  }
  return true;
}

/// E^T M E + E^T B + B^T E - g^T g = E^T Z + B^T E - g^T g.
template <class Rank, class Memory>
void add_square(const Rank& rank, const Memory& m, int e, typename Memory::Shared& all,
                typename Memory::Inertia& K) noexcept {
  for (int d = 0; d < rank.dependents; ++d) {
    const int j = m.closing.dependent(d);
    add_symmetric(K, m.E(e, d), 0.5 * (m.Z(e, j) + m.B(e, j, all)));
  }
  for (int a = 0; a < rank.independents; ++a) subtract_square(K, m.g(e, a));
}

template <class Memory>
typename Memory::Block product_of(const Memory& m, int e, int f, typename Memory::Shared& all) noexcept {
  typename Memory::Block K = Memory::Block::Zero();
  for (int d = 0; d < m.closing.rank(); ++d) {
    const int j = m.closing.dependent(d);
    K += dense(m.E(e, d)) * dense(m.Z(f, j)).transpose() + dense(m.B(e, j, all)) * dense(m.E(f, d)).transpose();
  }
  for (int a = 0; a < m.closing.independents(); ++a) K -= dense(m.g(e, a)) * dense(m.g(f, a)).transpose();
  return K;
}

/// What the segment leaves to its boundary bodies.
template <class Rank, class Memory>
void hand_over(const Rank& rank, const Memory& m, typename Memory::Shared& all) noexcept {
  if (m.boundary_count() == 0) return;
  m.for_tops([&](int i) { add(all.K[m.segment.parent], all.composite[i]); });
  for (int e = 0; e < m.boundary_count(); ++e) add_square(rank, m, e, all, all.K[m.segment.boundary[e]]);
  for (const BoundaryPair& pair : m.segment.pairs) all.cross[pair.block] += product_of(m, pair.deep, pair.shallow, all);
}

}  // namespace kinloop::rcr

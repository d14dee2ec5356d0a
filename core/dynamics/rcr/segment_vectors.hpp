// The vectors of a segment: forces inward, accelerations outward.
#pragma once

#include "core/base/at.hpp"
#include "core/dynamics/rcr/rcr_mechanism.hpp"
#include "core/dynamics/rcr/segment_inertia.hpp"
#include "core/dynamics/rcr/segment_memory.hpp"
#include "core/dynamics/rcr/segment_rows.hpp"

namespace kinloop::rcr {

/// A closing joint inside the tree gives bodies an acceleration of their own.
template <class Memory>
void add_bias_forces(const typename Memory::Mechanism& mechanism, const typename Memory::Target& wanted,
                     typename Memory::Shared& all, Memory& m) noexcept {
  using Vector = typename Memory::Vector;
  for (int i = m.unbiased; i < m.bodies(); ++i) {
    const SegmentLink& link = m.link[i];
    m.bias[i] = m.up(i) >= 0 ? m.bias[m.up(i)] : Vector{};
    if (link.loop >= 0) {
      const auto arm = mechanism.motion.bias_arm[link.body] - m.y[i];
      m.bias[i] = m.bias[i] + link.sign * shift_motion(wanted.loop[link.loop], arm);
    }
    const auto at_body = shift_motion(m.bias[i], m.y[i]);
    m.force[i] = m.force[i] - shift_force(all.K[link.body] * at_body, m.y[i]);
  }
  for (const SegmentCross& cross : m.segment.crosses) {
    const int i = cross.place;
    const auto& K = all.cross[cross.block];
    const auto on_ancestor = transposed_times(K, shift_motion(m.bias[i], m.y[i]));
    if (cross.inside >= 0) {
      const int k = cross.inside;
      m.force[k] = m.force[k] - shift_force(on_ancestor, m.y[k]);
      m.force[i] = m.force[i] - shift_force(times(K, shift_motion(m.bias[k], m.y[k])), m.y[i]);
    } else {
      auto& F = all.F[m.segment.boundary[cross.boundary]];
      F = F - on_ancestor;
    }
  }
}

/// Forces along the unknowns, and what the closing conditions ask of them.
template <class Memory>
void gather_forces(const typename Memory::Mechanism& mechanism, const typename Memory::Target& wanted,
                   const VectorX& tau, typename Memory::Shared& all, Memory& m) noexcept {
  m.moves = !wanted.is_zero;
  for (int i = 0; i < m.bodies(); ++i) m.force[i] = shift_force(all.F[m.link[i].body], m.y[i]);
  if (m.is_biased()) {
    if (m.moves) {
      add_bias_forces(mechanism, wanted, all, m);
    } else {
      for (auto& bias : m.bias) bias = {};
    }
  }
  for (int i = m.bodies(); i-- > 1;) {
    if (m.up(i) >= 0) m.force[m.up(i)] = m.force[m.up(i)] + m.force[i];
  }
  for (int j = 0; j < m.unknowns(); ++j) {
    const SegmentUnknown& unknown = m.unknown[j];
    double h = unknown.speed >= 0 ? tau[unknown.speed] : 0.0;
    if (unknown.body >= 0) h += dot(m.c[j], m.force[unknown.body]);
    m.h[j] = h;
  }
  if (m.rows() > 0 && m.moves) find_s(mechanism, wanted, m);
}

/// Takes what the rows can carry, so that the dependents are left with rounding, out of the forces along the unknowns;
/// what these rows do to the boundary bodies goes there. After gather_forces().
template <class Rank, class Memory>
void balance_by_multipliers(const Rank& rank, typename Memory::Shared& all, Memory& m) noexcept {
  for (int r = 0; r < m.rows(); ++r) {
    double multiplier = 0.0;
    for (int d = 0; d < rank.dependents; ++d) multiplier += m.closing.J(d, r) * m.h[m.closing.dependent(d)];
    m.multiplier[r] = multiplier;
  }
  for (int r = 0; r < m.rows(); ++r) {
    for (int j = 0; j < m.unknowns(); ++j) m.h[j] -= m.S(r, j) * m.multiplier[r];
    for (int e = 0; e < m.boundary_count(); ++e) {
      auto& F = all.F[m.segment.boundary[e]];
      F = F - m.multiplier[r] * m.X(e, r);
    }
  }
}

/// Forces on the boundary bodies; after gather_forces().
template <class Rank, class Memory>
void reduce_forces(const Rank& rank, typename Memory::Shared& all, Memory& m) noexcept {
  const int dependents = rank.dependents;
  const int independents = rank.independents;
  find_eps(rank, m);
  for (int j = 0; j < m.unknowns(); ++j) {  // what is left of h; u is free at this time
    double sum = m.h[j];
    if (m.moves) {
      for (int d = 0; d < dependents; ++d) sum -= m.M(j, m.closing.dependent(d)) * m.eps[d];
    }
    m.u[j] = sum;
  }
  for (int a = 0; a < independents; ++a) {
    const int slot = m.closing.independent(a);
    double sum = m.u[slot];
    for (int d = 0; d < dependents; ++d) sum += m.closing.T(d, slot) * m.u[m.closing.dependent(d)];
    for (int b = 0; b < a; ++b) sum -= m.L(a, b) * m.reduced[b];
    m.reduced[a] = sum * m.L(a, a);
  }
  for (int e = 0; e < m.boundary_count(); ++e) {
    typename Memory::Vector force;
    if (e == 0) m.for_tops([&](int i) { force = force + m.force[i]; });
    for (int d = 0; d < dependents; ++d) {
      const int j = m.closing.dependent(d);
      force = force + m.h[j] * m.E(e, d);
      if (m.moves) force = force - m.eps[d] * m.Z(e, j);
    }
    for (int a = 0; a < independents; ++a) force = force - m.reduced[a] * m.g(e, a);
    auto& F = all.F[m.segment.boundary[e]];
    F = F + force;
  }
}

template <class Rank, class Memory>
void outward(const Rank& rank, typename Memory::Shared& all, Memory& m) noexcept {
  using Vector = typename Memory::Vector;
  const int dependents = rank.dependents;
  const int independents = rank.independents;
  for (int e = 0; e < m.boundary_count(); ++e) {
    const auto& A = all.A[m.segment.boundary[e]];
    for (int a = 0; a < independents; ++a) m.reduced[a] -= dot(m.g(e, a), A);
  }
  if (independents + dependents < m.unknowns()) {  // coordinates that nothing determines
    for (double& u : m.u) u = 0.0;
  }
  for (int a = independents - 1; a >= 0; --a) {
    double sum = m.reduced[a];
    for (int b = a + 1; b < independents; ++b) sum -= m.L(b, a) * m.reduced[b];
    m.reduced[a] = sum * m.L(a, a);
    m.u[m.closing.independent(a)] = m.reduced[a];
  }
  for (int d = 0; d < dependents; ++d) {
    double sum = m.eps[d];
    for (int a = 0; a < independents; ++a) sum += m.closing.T(d, m.closing.independent(a)) * m.reduced[a];
    for (int e = 0; e < m.boundary_count(); ++e) sum += dot(m.E(e, d), all.A[m.segment.boundary[e]]);
    m.u[m.closing.dependent(d)] = sum;
  }
  for (int j = 0; j < m.own_unknowns(); ++j) all.u[m.unknown[j].slot] = m.u[j];
  for (int i = 0; i < m.bodies(); ++i) {
    const SegmentLink& link = m.link[i];
    const bool inside = m.up(i) >= 0;
    Vector own = i >= m.unbiased ? m.bias[i] - (inside ? m.bias[m.up(i)] : Vector{}) : Vector{};
    for (int j = m.first(i); j < m.end(i); ++j) own = own + m.u[j] * m.c[j];
    const auto r = inside ? m.y[i] - m.y[m.up(i)] : m.y[i];
    all.A[link.body] = shift_motion(all.A[link.parent], r) + shift_motion(own, m.y[i]);
  }
}

}  // namespace kinloop::rcr

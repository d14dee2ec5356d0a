// Owns the inertia of rigid composites: a body and all beyond it, and what moving it to another point adds.
#pragma once

#include "core/base/at.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// About the point x_k of its innermost body, world axes.
struct CompositeInertia {
  Mat3 J;
  Vec3 mc;
  double mass = 0.0;
};

/// What J gains where the point moves by -r: -[r]x [mc]x - [mc]x [r]x - m [r]x [r]x = trace 1 - products, with
/// d = mc + m r / 2, trace = 2 r . d and products = r d^T + d r^T. Kept apart, since sums are rounded in the order in
/// which they are made.
struct ParallelAxisTerms {
  double trace = 0.0;
  Mat3 products;
};

inline ParallelAxisTerms parallel_axis(const CompositeInertia& h, const Vec3& r) noexcept {
  const Vec3 d = h.mc + 0.5 * h.mass * r;
  ParallelAxisTerms terms;
  terms.trace = 2.0 * dot(r, d);
  for (int i = 0; i < 3; ++i) terms.products.c[at(i)] = r * d[i] + d * r[i];
  return terms;
}

/// About the point x - r.
inline CompositeInertia shifted(const CompositeInertia& h, const Vec3& r) noexcept {
  const ParallelAxisTerms more = parallel_axis(h, r);
  return {(h.J + diagonal3(more.trace)) - more.products, h.mc + h.mass * r, h.mass};
}

inline CompositeInertia body_inertia(const Model& model, const Workspace& ws, int body) noexcept {
  const BodyLoad& load = ws.load[at(body)];
  return {load.J, load.mc, model.body(body).mass};
}

}  // namespace kinloop

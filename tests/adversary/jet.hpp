// Owns Jet: a number with its first and second derivative in time, and the poses made of them.
#pragma once

#include <cmath>

#include "tests/adversary/precise.hpp"

namespace kinloop::adversary {

struct Jet {
  Real f = 0, d = 0, dd = 0;
  Jet() = default;
  Jet(Real value, Real rate = 0, Real acceleration = 0) : f(value), d(rate), dd(acceleration) {}  // NOLINT: a constant
};

inline Jet operator+(const Jet& a, const Jet& b) { return {a.f + b.f, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(const Jet& a, const Jet& b) { return {a.f - b.f, a.d - b.d, a.dd - b.dd}; }
inline Jet operator*(const Jet& a, const Jet& b) {
  return {a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}
inline Jet sin(const Jet& a) {
  const Real s = std::sin(a.f), c = std::cos(a.f);
  return {s, c * a.d, c * a.dd - s * a.d * a.d};
}
inline Jet cos(const Jet& a) {
  const Real s = std::sin(a.f), c = std::cos(a.f);
  return {c, -s * a.d, -s * a.dd - c * a.d * a.d};
}

struct MatrixJet {
  Matrix3R f = Matrix3R::Identity(), d = Matrix3R::Zero(), dd = Matrix3R::Zero();

  MatrixJet transposed() const { return {f.transpose(), d.transpose(), dd.transpose()}; }
  Vector3R angular_velocity() const { return axis_of(d * f.transpose()); }
  Vector3R angular_acceleration() const { return axis_of(dd * f.transpose()); }
};

struct VectorJet {
  Vector3R f = Vector3R::Zero(), d = Vector3R::Zero(), dd = Vector3R::Zero();
};

inline MatrixJet operator*(const MatrixJet& a, const MatrixJet& b) {
  return {a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * (a.d * b.d) + a.f * b.dd};
}
inline VectorJet operator*(const MatrixJet& a, const VectorJet& b) {
  return {a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * (a.d * b.d) + a.f * b.dd};
}
inline VectorJet operator+(const VectorJet& a, const VectorJet& b) { return {a.f + b.f, a.d + b.d, a.dd + b.dd}; }
inline VectorJet operator-(const VectorJet& a, const VectorJet& b) { return {a.f - b.f, a.d - b.d, a.dd - b.dd}; }

/// A pose that moves.
struct PoseJet {
  MatrixJet R;
  VectorJet p;
};

inline PoseJet operator*(const PoseJet& a, const PoseJet& b) { return {a.R * b.R, a.p + a.R * b.p}; }
inline PoseJet at_rest(const PoseR& X) {
  PoseJet jet;
  jet.R.f = X.R;
  jet.p.f = X.p;
  return jet;
}
/// B in A, of two poses in the same frame.
inline PoseJet relative(const PoseJet& A, const PoseJet& B) {
  const MatrixJet Rt = A.R.transposed();
  return {Rt * B.R, Rt * (B.p - A.p)};
}

}  // namespace kinloop::adversary

// Owns the few operations on plain 3-vectors and matrices that the wrappers and generators share.
#pragma once

#include <cmath>

#include "bench/peers/mechanism.hpp"

namespace kinloop::bench {

using Quaternion = std::array<double, 4>;  // w, x, y, z

inline Vec3 add(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 subtract(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Mat3 transpose(const Mat3& m) {
  Mat3 out{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = m[j][i];
  return out;
}

inline Vec3 multiply(const Mat3& m, const Vec3& a) {
  Vec3 out{};
  for (int i = 0; i < 3; ++i) out[i] = m[i][0] * a[0] + m[i][1] * a[1] + m[i][2] * a[2];
  return out;
}

inline Mat3 multiply(const Mat3& a, const Mat3& b) {
  Mat3 out{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  return out;
}

inline Mat3 rotation_of(const Quaternion& unit) {
  const auto [w, x, y, z] = unit;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

/// Shepperd's method: the largest of the four squares is the pivot, so no division is by a small number.
inline Quaternion quaternion_of(const Mat3& R) {
  const double trace = R[0][0] + R[1][1] + R[2][2];
  Quaternion out{};
  if (trace >= R[0][0] && trace >= R[1][1] && trace >= R[2][2]) {
    out = {1 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
  } else {
    int i = 0;
    if (R[1][1] > R[0][0]) i = 1;
    if (R[2][2] > R[i][i]) i = 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[0] = R[k][j] - R[j][k];
    out[1 + i] = 1 + R[i][i] - R[j][j] - R[k][k];
    out[1 + j] = R[i][j] + R[j][i];
    out[1 + k] = R[i][k] + R[k][i];
  }
  const double norm = std::sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
  for (double& component : out) component /= norm;
  return out;
}

/// Principal moments and their axes: inertia = R_BI diag(moments) R_BI^T.
struct PrincipalInertia {
  Vec3 moments_kgm2{};
  Mat3 R_BI = kIdentity3;
};

/// Cyclic Jacobi until the off-diagonal part is below rounding.
inline PrincipalInertia principal_inertia(Mat3 inertia) {
  PrincipalInertia out;
  for (int sweep = 0; sweep < 20; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (inertia[p][q] == 0.0) continue;
        const double theta = (inertia[q][q] - inertia[p][p]) / (2.0 * inertia[p][q]);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
        Mat3 G = kIdentity3;
        G[p][p] = G[q][q] = c;
        G[p][q] = s;
        G[q][p] = -s;
        inertia = multiply(transpose(G), multiply(inertia, G));
        inertia[p][q] = inertia[q][p] = 0.0;  // by construction, up to rounding
        out.R_BI = multiply(out.R_BI, G);
      }
  out.moments_kgm2 = {inertia[0][0], inertia[1][1], inertia[2][2]};
  return out;
}

}  // namespace kinloop::bench

// Scalar coordinates add; rotation vectors by the right Jacobian of the exponential and its inverse.
#include "core/derivatives/rotation_slopes.hpp"

#include <cmath>

namespace kinloop {
namespace {

/// Of one rotation vector.
class RotationJacobian {
 public:
  explicit RotationJacobian(const double* theta) noexcept : theta_(theta[0], theta[1], theta[2]) {
    const double angle2 = theta_.squaredNorm();
    const double angle = std::sqrt(angle2);
    if (angle2 < 1e-2) {
      first_ = 0.5 - angle2 * (1.0 / 24.0 - angle2 * (1.0 / 720.0 - angle2 / 40320.0));
      second_ = 1.0 / 6.0 - angle2 * (1.0 / 120.0 - angle2 * (1.0 / 5040.0 - angle2 / 362880.0));
      inverse_ = 1.0 / 12.0 + angle2 * (1.0 / 720.0 + angle2 * (1.0 / 30240.0 + angle2 / 1209600.0));
      inverse_slope_ = 1.0 / 360.0 + angle2 * (1.0 / 7560.0 + angle2 / 201600.0);
    } else {
      first_ = (1.0 - std::cos(angle)) / angle2;
      second_ = (angle - std::sin(angle)) / (angle2 * angle);
      const double half = 0.5 * angle;
      const double cot = std::cos(half) / std::sin(half);
      inverse_ = (1.0 - half * cot) / angle2;
      inverse_slope_ =
          (-2.0 / (angle2 * angle) + 0.5 * cot / angle2 + 0.25 / (angle * std::sin(half) * std::sin(half))) / angle;
    }
  }

  /// Exp(theta)^T.
  Matrix3 back() const noexcept {
    const Matrix3 t = skew(theta_);
    const double angle2 = theta_.squaredNorm();
    const double sinc = 1.0 - angle2 * second_;
    return Matrix3::Identity() - sinc * t + first_ * t * t;
  }
  /// d(rotation in the axes of the body) / d(theta).
  Matrix3 right() const noexcept {
    const Matrix3 t = skew(theta_);
    return Matrix3::Identity() - first_ * t + second_ * t * t;
  }
  Matrix3 right_inverse() const noexcept {
    const Matrix3 t = skew(theta_);
    return Matrix3::Identity() + 0.5 * t + inverse_ * t * t;
  }
  /// d(right_inverse() w) / d(theta).
  Matrix3 right_inverse_slope(const Vector3& w) const noexcept {
    const Matrix3 t = skew(theta_);
    const Vector3 t_w = t * w;
    return -0.5 * skew(w) + inverse_slope_ * (t * t_w) * theta_.transpose() - inverse_ * (skew(t_w) + t * skew(w));
  }

 private:
  Vector3 theta_;
  double first_, second_, inverse_, inverse_slope_;
};

/// The first of the three speeds that turn a body's quaternion.
int turning_speeds(const Model& model, int k) noexcept { return model.body(k).v + model.body(k).nv - 3; }

}  // namespace

void advance_slopes(const Model& model, const double* increment, const MatrixX& d_increment, MatrixX& dq) noexcept {
  for (const int k : model.quaternion_bodies()) {
    const int i = turning_speeds(model, k);
    const RotationJacobian jacobian(increment + i);
    const Matrix3 back = jacobian.back();
    const Matrix3 right = jacobian.right();
    for (Eigen::Index c = 0; c < dq.cols(); ++c) {
      // The increment is added below, as that of every coordinate.
      const Vector3 turned = back * dq.col(c).segment<3>(i) + right * d_increment.col(c).segment<3>(i);
      dq.col(c).segment<3>(i) = turned - d_increment.col(c).segment<3>(i);
    }
  }
  dq += d_increment;
}

void increment_rate_slopes(const Model& model, const double* increment, const double* v, const MatrixX& d_increment,
                           const MatrixX& dv, MatrixX& d_rate) noexcept {
  d_rate = dv;
  for (const int k : model.quaternion_bodies()) {
    const int i = turning_speeds(model, k);
    const RotationJacobian jacobian(increment + i);
    const Matrix3 inverse = jacobian.right_inverse();
    const Matrix3 slope = jacobian.right_inverse_slope({v[i], v[i + 1], v[i + 2]});
    for (Eigen::Index c = 0; c < dv.cols(); ++c) {
      d_rate.col(c).segment<3>(i) = inverse * dv.col(c).segment<3>(i) + slope * d_increment.col(c).segment<3>(i);
    }
  }
}

void difference_slopes(const Model& model, const double* increment, MatrixX& dq) noexcept {
  for (const int k : model.quaternion_bodies()) {
    const int i = turning_speeds(model, k);
    const Matrix3 inverse = RotationJacobian(increment + i).right_inverse();
    for (Eigen::Index c = 0; c < dq.cols(); ++c) {
      const Vector3 turned = inverse * dq.col(c).segment<3>(i);
      dq.col(c).segment<3>(i) = turned;
    }
  }
}

}  // namespace kinloop

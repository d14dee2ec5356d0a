// Owns ScalarFunction: a compiled FunctionSpec, evaluated with two derivatives and without allocation.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop {

/// A twice differentiable function of one variable: polynomial + harmonics + cubic spline through a table.
/// Used for prescribed motions (variable: time in s) and for cam profiles (variable: angle in rad, value: radius in m).
struct FunctionSpec {
  std::vector<double> polynomial;                // coefficients of x^0, x^1, ...
  double frequency_rad = 1.0;                    // base frequency of the harmonics, rad per unit of x
  std::vector<std::array<double, 2>> harmonics;  // {c_k, d_k}: c_k cos(k w x) + d_k sin(k w x), k = 1, 2, ...
  std::vector<double> table_x;                   // strictly increasing
  std::vector<double> table_y;                   // as many; the spline is natural, or periodic if table_period > 0
  double table_period = 0.0;                     // then table_x spans less than one period and wraps around
};

/// f(x), f'(x), f''(x).
struct FunctionValue {
  double f = 0.0;
  double d1 = 0.0;
  double d2 = 0.0;
};

class ScalarFunction {
 public:
  /// Identically zero.
  ScalarFunction() = default;

  /// `where` is the field path that errors name.
  static Result<ScalarFunction> make(const FunctionSpec& spec, const std::string& where);

  FunctionValue operator()(double x) const noexcept;

 private:
  FunctionValue spline(double x) const noexcept;

  FunctionSpec spec_;
  std::vector<double> table_d2_;  // second derivatives of the spline at the knots
};

}  // namespace kinloop

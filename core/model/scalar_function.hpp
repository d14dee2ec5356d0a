// Owns ScalarFunction: a compiled FunctionSpec, evaluated with two derivatives and without allocation.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"

namespace kinloop {

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

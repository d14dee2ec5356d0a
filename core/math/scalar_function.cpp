// Evaluates polynomial + harmonics + spline; the spline's second derivatives are solved once, when it is made.
#include "core/math/scalar_function.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/spatial/types.hpp"

namespace kinloop {
namespace {

/// Solves a diagonally dominant tridiagonal system by elimination from the top, for two right-hand sides at once.
void solve_tridiagonal(const VectorX& below, VectorX diagonal, const VectorX& above, Eigen::MatrixX2d& x) {
  const Eigen::Index n = diagonal.size();
  for (Eigen::Index i = 1; i < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    x.row(i) -= factor * x.row(i - 1);
  }
  x.row(n - 1) /= diagonal[n - 1];
  for (Eigen::Index i = n - 1; i-- > 0;) x.row(i) = (x.row(i) - above[i] * x.row(i + 1)) / diagonal[i];
}

/// Second derivatives of the cubic spline through (x, y): continuous f'' at every knot, f'' = 0 at the ends or, with
/// period > 0, the same f', f'' where the last knot meets the first again.
std::vector<double> spline_second_derivatives(const std::vector<double>& x, const std::vector<double>& y,
                                              double period) {
  const auto n = static_cast<Eigen::Index>(x.size());
  const auto at = [](const std::vector<double>& a, Eigen::Index i) { return a[static_cast<std::size_t>(i)]; };
  const bool periodic = period > 0.0;
  VectorX below = VectorX::Zero(n);
  VectorX diagonal = VectorX::Ones(n);
  VectorX above = VectorX::Zero(n);
  Eigen::MatrixX2d right = Eigen::MatrixX2d::Zero(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!periodic && (i == 0 || i == n - 1)) continue;
    const Eigen::Index before = (i + n - 1) % n;
    const Eigen::Index after = (i + 1) % n;
    const double h0 = i > 0 ? at(x, i) - at(x, before) : at(x, 0) + period - at(x, n - 1);
    const double h1 = i < n - 1 ? at(x, after) - at(x, i) : at(x, 0) + period - at(x, n - 1);
    below[i] = h0 / 6.0;
    diagonal[i] = (h0 + h1) / 3.0;
    above[i] = h1 / 6.0;
    right(i, 0) = (at(y, after) - at(y, i)) / h1 - (at(y, i) - at(y, before)) / h0;
  }
  // A periodic spline has below[0] = above[n - 1] = c in the corners: the matrix is T + u u^T c with u = e_0 + e_(n-1),
  // T tridiagonal and still diagonally dominant, so Sherman and Morrison give the rest.
  const double c = periodic ? below[0] : 0.0;
  diagonal[0] -= c;
  diagonal[n - 1] -= c;
  right(0, 1) = 1.0;
  right(n - 1, 1) = 1.0;
  solve_tridiagonal(below, diagonal, above, right);
  const double along = c * (right(0, 0) + right(n - 1, 0)) / (1.0 + c * (right(0, 1) + right(n - 1, 1)));
  const VectorX d2 = right.col(0) - along * right.col(1);
  return {d2.data(), d2.data() + n};
}

}  // namespace

Result<ScalarFunction> ScalarFunction::make(const FunctionSpec& spec, const std::string& where) {
  const std::size_t n = spec.table_x.size();
  if (n != spec.table_y.size()) return Error{where + ".table", "needs as many values as arguments"};
  if (n > 2000) return Error{where + ".table", "has more than 2000 knots"};
  if (!(spec.table_period >= 0.0)) return Error{where + ".period", "must not be negative"};
  const std::size_t least = spec.table_period > 0.0 ? 3 : 2;
  if (n > 0 && n < least) return Error{where + ".table", "needs at least " + std::to_string(least) + " knots"};
  for (std::size_t i = 1; i < n; ++i) {
    if (!(spec.table_x[i] > spec.table_x[i - 1])) return Error{where + ".table", "arguments must increase strictly"};
  }
  if (spec.table_period > 0.0 && n > 0 && !(spec.table_x.back() - spec.table_x.front() < spec.table_period)) {
    return Error{where + ".table", "spans its period or more; leave out the knot that repeats the first"};
  }

  ScalarFunction function;
  function.spec_ = spec;
  if (n > 0) {
    function.table_d2_ = spline_second_derivatives(spec.table_x, spec.table_y, spec.table_period);
    if (!std::all_of(function.table_d2_.begin(), function.table_d2_.end(),
                     [](double d2) { return std::isfinite(d2); })) {
      return Error{where + ".table", "bends too sharply for numbers to hold"};
    }
    if (spec.table_period > 0.0) {  // the closing knot, so that evaluation needs no special last interval
      function.spec_.table_x.push_back(spec.table_x.front() + spec.table_period);
      function.spec_.table_y.push_back(spec.table_y.front());
      function.table_d2_.push_back(function.table_d2_.front());
    }
  }
  return function;
}

FunctionValue ScalarFunction::spline(double x) const noexcept {
  const auto& xs = spec_.table_x;
  const auto& ys = spec_.table_y;
  if (spec_.table_period > 0.0) x -= spec_.table_period * std::floor((x - xs.front()) / spec_.table_period);
  const auto after = std::upper_bound(xs.begin() + 1, xs.end() - 1, x);
  const auto i = static_cast<std::size_t>(after - xs.begin()) - 1;
  const double h = xs[i + 1] - xs[i];
  const double m0 = table_d2_[i];
  const double m1 = table_d2_[i + 1];
  const double slope = (ys[i + 1] - ys[i]) / h;
  // Beyond the ends the function goes on straight, with the slope it ended with.
  const double inside = std::clamp(x, xs[i], xs[i + 1]);
  const double b = (inside - xs[i]) / h;
  const double a = 1.0 - b;
  const double f = a * ys[i] + b * ys[i + 1] + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6.0;
  const double d1 = slope + ((1.0 - 3.0 * a * a) * m0 + (3.0 * b * b - 1.0) * m1) * h / 6.0;
  if (x != inside) return {f + (x - inside) * d1, d1, 0.0};
  return {f, d1, a * m0 + b * m1};
}

FunctionValue ScalarFunction::operator()(double x) const noexcept {
  FunctionValue value;
  for (auto c = spec_.polynomial.rbegin(); c != spec_.polynomial.rend(); ++c) {  // Horner, with both derivatives
    value.d2 = value.d2 * x + 2.0 * value.d1;
    value.d1 = value.d1 * x + value.f;
    value.f = value.f * x + *c;
  }
  double k_w = 0.0;
  for (const auto& [c, d] : spec_.harmonics) {
    k_w += spec_.frequency_rad;
    const double cosine = std::cos(k_w * x);
    const double sine = std::sin(k_w * x);
    value.f += c * cosine + d * sine;
    value.d1 += k_w * (d * cosine - c * sine);
    value.d2 -= k_w * k_w * (c * cosine + d * sine);
  }
  if (!spec_.table_x.empty()) {
    const FunctionValue s = spline(x);
    value.f += s.f;
    value.d1 += s.d1;
    value.d2 += s.d2;
  }
  return value;
}

}  // namespace kinloop

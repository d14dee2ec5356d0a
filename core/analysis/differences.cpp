// Neville's scheme on central differences. Their error is a series in h^2 where f is smooth, and in h where its
// curvature jumps (a pump that begins to deliver): both are tried. All steps are made: what is sharp (smoothed
// friction, laminar flow) shows only in the small ones, what is rounded only in the large ones. No extrapolation counts
// as better than what rounding of f leaves of its smallest step: two that agree by chance are not.
#include "core/analysis/differences.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace kinloop {
namespace {

constexpr int kSteps = 14;
constexpr int kMaxReductions = 8;  // of the first step, each to a quarter

/// Differences at one step.
struct Sample {
  VectorX slope;  // (f(h) - f(-h)) / 2 h
  VectorX bend;   // |f(h) - 2 f(0) + f(-h)| / h: how much the slopes to both sides differ
};

Result<Sample> sample(const MovedBy& f, const VectorX& at_zero, double h) {
  const Result<VectorX> up = f(h);
  if (!up) return up.error();
  const Result<VectorX> down = f(-h);
  if (!down) return down.error();
  if (!up->allFinite() || !down->allFinite()) return Error{"linearize", "a number is not finite beside this state"};
  Sample result{(*up - *down) / (2.0 * h), ((*up - at_zero) - (at_zero - *down)).cwiseAbs() / h};
  return result;
}

/// A kink keeps its bend however small the step; a curve's bend halves with it.
bool has_kink(const std::vector<Sample>& samples, const VectorX& at_zero, double last_h) {
  constexpr double kNoticed = 1e-3;  // of the slope
  constexpr double kRounding = 1e4 * std::numeric_limits<double>::epsilon();
  const std::size_t n = samples.size();
  for (Eigen::Index i = 0; i < at_zero.size(); ++i) {
    const double a = samples[n - 3].bend[i], b = samples[n - 2].bend[i], c = samples[n - 1].bend[i];
    const bool is_real =
        c > kNoticed * std::abs(samples[n - 1].slope[i]) && c * last_h > kRounding * std::abs(at_zero[i]);
    if (is_real && c > 0.0 && std::abs(b - a) < 0.1 * a && std::abs(c - b) < 0.1 * b) return true;
  }
  return false;
}

void keep_better(const VectorX& value, const VectorX& error, Derivative& best) {
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    if (!(error[i] < best.error[i])) continue;
    best.error[i] = error[i];
    best.value[i] = value[i];
  }
}

/// Neville's scheme for slopes whose error is a series in powers of h^p: ratio = 2^p.
class Scheme {
 public:
  Scheme(double ratio, const VectorX& slope, const VectorX& at_zero)
      : ratio_(ratio), row_{slope}, rounding_(std::numeric_limits<double>::epsilon() * at_zero.cwiseAbs()) {}

  /// The slope at half the last step, h.
  void add(const VectorX& slope, double h, Derivative& best) {
    std::vector<VectorX> next = {slope};
    double power = 1.0;
    for (std::size_t j = 0; j < row_.size(); ++j) {
      power *= ratio_;
      const VectorX entry = next[j] + (next[j] - row_[j]) / (power - 1.0);
      VectorX error = (entry - next[j]).cwiseAbs().cwiseMax((entry - row_[j]).cwiseAbs());
      // Noise agrees with two neighbours by chance now and then, with three hardly.
      if (j + 1 < row_.size()) error = error.cwiseMax((entry - row_[j + 1]).cwiseAbs());
      error = error.cwiseMax(rounding_ / h);
      keep_better(entry, error, best);
      next.push_back(entry);
    }
    row_ = std::move(next);
  }

 private:
  double ratio_;
  std::vector<VectorX> row_;
  VectorX rounding_;
};

}  // namespace

Result<Derivative> derivative(const MovedBy& f, const VectorX& at_zero, double first) {
  Result<Sample> start = sample(f, at_zero, first);
  for (int i = 0; i < kMaxReductions && !start; ++i) {
    first *= 0.25;
    start = sample(f, at_zero, first);
  }
  if (!start) return start.error();
  std::vector<Sample> samples = {*start};
  Scheme smooth(4.0, start->slope, at_zero), bent(2.0, start->slope, at_zero);
  Derivative best{start->slope, VectorX::Constant(at_zero.size(), std::numeric_limits<double>::infinity()), false};
  double h = first;
  for (int k = 1; k < kSteps; ++k) {
    h *= 0.5;
    const Result<Sample> next = sample(f, at_zero, h);
    if (!next) return next.error();
    samples.push_back(*next);
    smooth.add(next->slope, h, best);
    bent.add(next->slope, h, best);
  }
  best.has_kink = has_kink(samples, at_zero, h);
  return best;
}

}  // namespace kinloop

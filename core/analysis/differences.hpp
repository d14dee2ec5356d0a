// Owns the differentiation of a step: central differences, extrapolated to a step of zero (Richardson, Ridders).
#pragma once

#include <functional>

#include "core/base/result.hpp"
#include "core/spatial/types.hpp"

namespace kinloop {

/// f(h): what becomes of everything when one number is moved by h.
using MovedBy = std::function<Result<VectorX>(double h)>;

struct Derivative {
  VectorX value;
  VectorX error;          // estimated, entry by entry
  bool has_kink = false;  // the slopes to both sides differ right at h = 0; the value is their mean
};

/// df/dh at 0 from h = first, first / 2, first / 4, ...: for every entry the extrapolation that agrees best with its
/// neighbours. `at_zero` is f(0). Where f cannot be had at the first step, it starts with smaller ones.
Result<Derivative> derivative(const MovedBy& f, const VectorX& at_zero, double first);

}  // namespace kinloop

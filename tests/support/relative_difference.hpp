// Owns the measure by which tests compare accelerations: absolute below one, relative above.
#pragma once

#include <algorithm>

#include "core/spatial/types.hpp"

namespace kinloop {

inline double relative_difference(const VectorX& a, const VectorX& b) {
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace kinloop

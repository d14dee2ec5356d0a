// Owns the cross products of spatial vectors about a common point (Featherstone, 2008).
#pragma once

#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

/// How a motion changes that is carried along by another.
inline SpatialVector cross_motion(const SpatialVector& by, const SpatialVector& motion) noexcept {
  return {cross(by.angular, motion.angular), cross(by.angular, motion.linear) + cross(by.linear, motion.angular)};
}

/// How a wrench changes that is carried along by a motion.
inline SpatialVector cross_force(const SpatialVector& by, const SpatialVector& wrench) noexcept {
  return {cross(by.angular, wrench.angular) + cross(by.linear, wrench.linear), cross(by.angular, wrench.linear)};
}

}  // namespace kinloop

// Owns the start of a motion: the model's initial state with its loops closed.
#pragma once

#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace kinloop {

/// What the rounding of a file leaves open; more is a loop left open.
inline constexpr double kRoundingOfFiles = 1e-4;

struct ClosedStart {
  VectorX q, v;
};

/// An error where the initial state is further open than `max_open` (rad, or lengths of the mechanism), or cannot be
/// closed at all. For start-up: it allocates.
Result<ClosedStart> consistent_initial_state(const Model& model, double max_open);

/// A motion with closed loops near this one, or an error at the place `where`. For start-up: it allocates.
Result<ClosedStart> closed_near(const Model& model, const VectorX& q, const VectorX& v, const char* where);

}  // namespace kinloop

// Owns the search for the rank that the constraints of a mechanism have at nearly all closed positions.
//
// A single position may be singular, and positions with open loops tell nothing: the rows of a Bennett linkage are
// independent there and dependent wherever it is closed. So the mechanism is moved: from its initial position, closed,
// in random directions that the loops allow, closed again after every piece. The largest rank met is that of nearly all
// positions, since ranks are lost on thin sets only.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// Seeded: the same for the same model. For start-up: it allocates.
GenericRank find_generic_rank(const Model& model);

}  // namespace kinloop

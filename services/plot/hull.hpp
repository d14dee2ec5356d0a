// Owns the convex hull of points in the plane: the outline of a body seen from a side.
#pragma once

#include <vector>

#include "services/plot/geometry.hpp"

namespace kinloop::plot {

/// The corners in order; two where all points lie on a line (or nearly so, in the units of the points), one where they
/// coincide, none where there are none.
std::vector<Point> convex_hull(std::vector<Point> points, double nearly);

}  // namespace kinloop::plot

// Owns the picture of a mechanism: figures at some instants, traced paths, scale bar, directions, legend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/plot/cairo_canvas.hpp"
#include "services/plot/skeleton.hpp"
#include "services/plot/view.hpp"

namespace kinloop::plot {

struct TracedPath {
  std::string name;
  std::vector<Vector3> points;  // those with NaN are gaps
};

struct MechanismPicture {
  std::string title;
  Skeleton skeleton;
  std::vector<Posture> postures;  // oldest first; the last one is drawn strongly
  std::vector<double> times_s;    // of the postures; empty if time does not matter
  std::vector<TracedPath> paths;
  Projection view;
};

/// As large as the mechanism asks for within ordinary bounds.
ImageSize natural_size(const MechanismPicture& picture);
void draw(const MechanismPicture& picture, ImageSize size, Canvas& canvas);

}  // namespace kinloop::plot

// Turns a model, and the rows of its motion, into the picture of a mechanism.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/plot/csv_reader.hpp"
#include "services/plot/mechanism_picture.hpp"

namespace kinloop::plot {

/// A point to be followed, in the reference frame of its body.
struct PathRequest {
  std::string name;
  BodyPoint point;
};

/// "boom" (its centre of mass), "boom:8,0,0" (in its body frame, m) or the name of a frame of the model.
Result<PathRequest> parse_path(const Model& model, const std::string& text);

/// The mechanism at its initial state. Without a view, one is chosen.
MechanismPicture picture_at_start(const Model& model, std::optional<ViewKind> view);

struct MotionRequest {
  std::vector<int> columns;  // of the coordinates of the model, in the order of q
  int instants = 1;          // of which the last is the end of the motion
  std::vector<PathRequest> paths;
  std::optional<ViewKind> view;
};

Result<MechanismPicture> picture_of_motion(const Model& model, CsvReader& reader, const MotionRequest& request);

}  // namespace kinloop::plot

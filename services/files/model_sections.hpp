// Owns the parts of the reader of model files: one function a section, each reads one mapping into its description.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/joints/joint.hpp"
#include "core/model/model_spec.hpp"
#include "services/files/coordinate_dimensions.hpp"
#include "services/files/field_reader.hpp"

// Each of these reports what is wrong to the diagnostics of its fields and gives a placeholder then.
namespace kinloop {

BodySpec read_body(Fields& body);

/// A shape, and its own density where it gives one.
struct ReadShape {
  ShapeSpec spec;
  std::optional<double> density;
};
ReadShape read_shape(Fields& shape);

/// A joint of the tree: with coordinates and a start.
JointSpec read_joint(Fields& joint);
/// A joint that closes a loop.
JointSpec read_loop(Fields& joint);

/// The springs, stops and motions of a joint, from its list `coordinates` or, for one coordinate, from its own keys.
std::vector<CoordinateSpec> read_coordinates(Fields& joint, const JointKind& kind);
/// Whether the coordinate's keys stand in the joint itself; a path "coordinates[0]" then means the joint.
bool has_coordinate_keys(const YamlNode& joint);

/// A function of `argument` with values of `value`.
FunctionSpec read_function(Fields& function, const Dimension& argument, const Dimension& value);

SpringSpec read_spring(Fields& spring);
BushingSpec read_bushing(Fields& bushing);
PlaneSpec read_plane(Fields& plane);
ContactSpec read_contact(Fields& contact);
/// A shape that stands on the ground, for the view alone.
ShapeSpec read_scenery(Fields& shape);
/// The types of the joints decide the units: metres per radian, or none.
using JointTypes = std::map<std::string, JointType, std::less<>>;
CouplingSpec read_coupling(Fields& coupling, const JointTypes& joints);
/// The winch's type decides the unit of its pay_out.
RopeSpec read_rope(Fields& rope, const JointTypes& joints);
FrameOnBodySpec read_frame_on_body(Fields& frame);

}  // namespace kinloop

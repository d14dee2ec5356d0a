// Owns the check of a URDF file as XML: what urdfdom would accept silently, rewrite, or refuse without a place.
#pragma once

#include "services/base/diagnostics.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {

/// Reports missing and malformed attributes, repeated and unknown names, second parents, several roots and cycles; as
/// warnings what can be done without: the robot's name, mimics of joints that are not there, elements of other
/// programs.
void check_urdf(const XmlElement& robot, Diagnostics& diagnostics, Diagnostics& warnings);

}  // namespace kinloop

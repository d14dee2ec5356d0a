// Owns the check of a URDF file as XML: what urdfdom would accept silently, rewrite, or refuse without a place.
#pragma once

#include "services/base/diagnostics.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {

/// Reports missing and malformed attributes, repeated and unknown names, second parents, several roots and cycles.
void check_urdf(const XmlElement& robot, Diagnostics& diagnostics);

}  // namespace kinloop

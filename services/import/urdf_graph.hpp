// Owns the translation of a parsed URDF into a MechanismGraph.
#pragma once

#include <urdf_model/model.h>

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "services/base/diagnostics.hpp"
#include "services/import/mechanism_graph.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {

/// Links and joints in the order of the file, which urdfdom forgets; a root named 'world' or 'ground' becomes kGround.
/// Errors (negative masses, limits, mimics) go to `diagnostics`, what is locked or ignored to `warnings`.
/// Precondition: `robot` has passed check_urdf(), `urdf` is the same file.
MechanismGraph urdf_graph(const XmlElement& robot, const urdf::ModelInterface& urdf, Diagnostics& diagnostics,
                          Diagnostics& warnings);

}  // namespace kinloop

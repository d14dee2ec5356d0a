// Owns the translation of a parsed SDF model into a MechanismGraph.
#pragma once

#include <sdf/Root.hh>

#include "services/base/diagnostics.hpp"
#include "services/import/mechanism_graph.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {

/// Links and joints in the order of the file. Errors go to `diagnostics`, what is locked or ignored to `warnings`.
/// Precondition: check_sdf() has accepted the file and returned `model`, `root` is the same file.
MechanismGraph sdf_graph(const XmlElement& model, const sdf::Root& root, Diagnostics& diagnostics,
                         Diagnostics& warnings);

}  // namespace kinloop

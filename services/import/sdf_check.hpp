// Owns the check of an SDF file as XML: what libsdformat would accept silently, or refuse without a place.
#pragma once

#include "services/base/diagnostics.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {

/// Reports what is missing, malformed, repeated or not supported; as warnings elements that are left out. Returns the
/// <model>, nullptr if there is not just one.
const XmlElement* check_sdf(const XmlElement& sdf, Diagnostics& diagnostics, Diagnostics& warnings);

}  // namespace kinloop

// Owns the check of raw bytes before an XML library sees them.
#pragma once

#include <string_view>

#include "services/base/diagnostics.hpp"

namespace kinloop {

/// Reports what the XML libraries must not see: NUL, bytes that are not UTF-8, document type declarations, and elements
/// nested deeper than kMaxXmlDepth, since the libraries recurse. Stops at the first; true if there is none.
bool screen_xml_text(std::string_view text, Diagnostics& diagnostics);

}  // namespace kinloop

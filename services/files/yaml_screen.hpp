// Owns the check of raw bytes before the YAML library sees them.
#pragma once

#include <string>

#include "services/base/diagnostics.hpp"

namespace kinloop {

/// Removes a byte order mark, makes every line end a '\n', and reports what no model file needs and what the YAML
/// library is known to stumble over: bytes that are not UTF-8, control characters, other line separators, directives,
/// hundreds of blank lines, a thousand open brackets.
/// Returns the text to parse; it may be parsed only if nothing was reported.
std::string screen_yaml_text(const std::string& text, Diagnostics& diagnostics);

}  // namespace kinloop

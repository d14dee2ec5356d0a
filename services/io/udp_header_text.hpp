// Owns the C header of a UDP adapter: frames, constants and names for a controller in C99, with nothing else needed.
#pragma once

#include <string>

#include "services/io/udp_layout.hpp"

namespace kinloop::io {

/// `name` is that of the rig's field: "adapters[0]".
std::string udp_header_text(const std::string& name, const UdpAdapterSpec& adapter, const UdpLayout& layout,
                            const RigSpec& rig);

}  // namespace kinloop::io

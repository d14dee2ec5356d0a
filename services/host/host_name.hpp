// Owns the name of this host.
#pragma once

#include <string>

namespace kinloop::host {

/// As the kernel knows it; "unknown" where it has none.
std::string host_name();

}  // namespace kinloop::host

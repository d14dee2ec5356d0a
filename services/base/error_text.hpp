// Owns the words of the system for its error numbers, the same in every message.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace kinloop::host {

inline std::string error_text(int error_number = errno) { return std::generic_category().message(error_number); }

}  // namespace kinloop::host

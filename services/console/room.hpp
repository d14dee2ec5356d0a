// Owns writing to a terminal or a pipe without waiting for who reads it.
#pragma once

#include <chrono>
#include <string_view>

namespace kinloop::console {

/// Whether a short text would find room now. A descriptor that is none (-1) always has it.
bool has_room(int descriptor) noexcept;

/// As much as finds room within that time; false where that was not all.
bool write_where_there_is_room(int descriptor, std::string_view text, std::chrono::milliseconds patience) noexcept;

}  // namespace kinloop::console

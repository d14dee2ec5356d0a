// Owns the names of keys and buttons, as the kernel and evtest have them: "KEY_ESC".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinloop {

std::optional<std::uint16_t> evdev_key_code(std::string_view name) noexcept;
/// Its number where it has no name here.
std::string evdev_key_name(std::uint16_t code);
std::vector<std::string_view> evdev_key_names();

}  // namespace kinloop

// Owns the step from the signed indices of the mechanics to the unsigned ones of the standard containers.
#pragma once

#include <cstddef>

namespace kinloop {

constexpr std::size_t at(std::ptrdiff_t index) noexcept { return static_cast<std::size_t>(index); }

}  // namespace kinloop

// Owns the table of units that files may use.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "services/files/dimension.hpp"

namespace kinloop {

/// A unit: one of it is `si_factor` of the SI unit of its dimension.
struct Unit {
  double si_factor = 1.0;
  Dimension dimension = Dimension::none();
};

/// The unit of that symbol ("mm", "deg", "rpm"); composites such as "N*m" are put together by the expression reader.
std::optional<Unit> find_unit(std::string_view symbol) noexcept;

/// Every known symbol, for suggestions and documentation.
std::span<const std::string_view> unit_symbols() noexcept;

}  // namespace kinloop

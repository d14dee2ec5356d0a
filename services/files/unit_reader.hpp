// Owns the reading of a unit behind a number: "mm", "rad/s", "N m", "kg*m^2".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "services/files/units.hpp"

namespace kinloop {

/// A unit found in a text, and where it ends.
struct UnitMatch {
  Unit unit;
  std::size_t end = 0;
};

/// Why there is no unit, and at which byte.
struct UnitError {
  std::size_t offset = 0;
  std::string what;
};

/// Reads the unit that starts at byte `start`, as far as it goes; see the grammar in expression.hpp.
/// Precondition: a letter stands at `start`.
Result<UnitMatch, UnitError> read_unit(std::string_view text, std::size_t start);

}  // namespace kinloop

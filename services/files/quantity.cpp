// Owns Quantity: a number in SI units and how much is known about its dimension.
#include "services/files/quantity.hpp"

#include "services/files/nearest_name.hpp"

namespace kinloop {

std::string mismatch_text(const Dimension& expected, const Quantity& got) {
  std::string text = "expected " + expected.description() + ", got ";
  if (!got.written_unit.empty()) return text + in_quotes(got.written_unit);
  if (got.dimension.is_none()) return text + "an angle or a ratio";
  return text + in_quotes(got.dimension.si_unit());
}

}  // namespace kinloop

// Owns the reading of numbers in XML: always with a decimal point, whatever the locale.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kinloop {

/// The finite number that the whole text is; nothing if it is anything else.
std::optional<double> to_number(std::string_view text);

/// The finite numbers of a list with blanks between them; nothing if some part is no number.
std::optional<std::vector<double>> to_numbers(std::string_view text);

}  // namespace kinloop

// Owns the numbers along an axis: where they stand and how they read.
#pragma once

#include <string>
#include <vector>

#include "services/plot/geometry.hpp"

namespace kinloop::plot {

struct Ticks {
  std::vector<double> values;
  std::vector<std::string> labels;  // as many
  std::string scale;                // "×10³" that all labels are to be multiplied by, or empty
};

/// What an axis shows of the data: all of it with some air; something also where the data is one value or none.
Range axis_range(Range data);
/// The same without air, for time.
Range tight_range(Range data);

/// Multiples of 1, 2 or 5 times a power of ten within the range: at most `at_most`, or a few more where there
/// would be less than two. The range is one that axis_range() or tight_range() made.
Ticks make_ticks(Range range, int at_most);

/// The largest of 1, 2, 5 times a power of ten that is not above `limit`, which is positive.
double round_down(double limit) noexcept;

/// With a true minus, and no digits that say nothing: "0.25", "−3".
std::string number_label(double value, int decimals);
/// A time among others, with as many decimals as tell them apart.
std::string time_label(double time_s, const std::vector<double>& times_s);
/// As many decimals as a multiple of 1, 2 or 5 times a power of ten needs.
std::string short_label(double value);

}  // namespace kinloop::plot

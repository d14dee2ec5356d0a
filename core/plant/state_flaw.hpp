// Owns StateFlaw: where a block of doubles from outside cannot be a plant's state, and why.
#pragma once

#include <cstddef>
#include <string_view>

namespace kinloop {

struct StateFlaw {
  std::size_t at = 0;     // in the block
  std::string_view what;  // is wrong with it: "is not finite"; a literal
};

}  // namespace kinloop

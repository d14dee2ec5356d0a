// Owns SourcePosition: a place in a text file.
#pragma once

#include <compare>

namespace kinloop {

/// A place in a text file; line and column count from 1 in characters, 0 means unknown.
struct SourcePosition {
  int line = 0;
  int column = 0;

  friend auto operator<=>(const SourcePosition&, const SourcePosition&) = default;
};

}  // namespace kinloop

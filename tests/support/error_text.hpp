// Owns the text of errors, for what a failed test shows.
#pragma once

#include <string>
#include <vector>

#include "services/base/diagnostics.hpp"

namespace kinloop {

/// One line each.
inline std::string to_text(const std::vector<Error>& errors) {
  std::string text;
  for (const Error& error : errors) text += to_line(error) + "\n";
  return text;
}

}  // namespace kinloop

// Owns text(): a line as printf() writes it.
#pragma once

#include <cstdio>
#include <string>

namespace kinloop::adversary {

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

}  // namespace kinloop::adversary

// Owns what a command line says about a log: which lines are wanted, and in which form.
#pragma once

#include <string_view>

#include "core/base/result.hpp"

namespace kinloop::log {

enum class Level { kTrace, kDebug, kInfo, kWarning, kError };

/// Lines for people, or one JSON object a line for programs.
enum class Format { kText, kJson };

struct Settings {
  Level level = Level::kInfo;  // and above
  Format format = Format::kText;
};

/// "trace", "debug", "info", "warning", "error".
std::string_view name_of(Level level) noexcept;
Result<Level> find_level(std::string_view name);

/// "text", "json".
std::string_view name_of(Format format) noexcept;
Result<Format> find_format(std::string_view name);

}  // namespace kinloop::log

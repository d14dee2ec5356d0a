// Owns Console: the two streams a verb writes to, and whether people look at them.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop::console {

/// For people, or for programs.
enum class Format { kText, kJson };

enum class Style { kBold, kDim, kGood, kBad, kWarning };

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_colours = false;
  bool err_colours = false;
  bool err_is_terminal = false;  // progress may be drawn and redrawn there
  bool err_is_journal = false;   // systemd's: lines there begin with their priority
  int err_descriptor = -1;       // of the error stream, if it has one
  int out_descriptor = -1;       // of the other

  /// The text as it should appear on the stream, coloured only where colours are wanted.
  std::string on_out(std::string_view text, Style style) const;
  std::string on_err(std::string_view text, Style style) const;
};

/// Standard output and error; colours on a terminal unless NO_COLOR is set or TERM is "dumb".
Console terminal_console();

/// One line each on the error stream, then, if not empty, what to do about them.
void print_errors(const Console& console, const std::vector<Error>& errors, std::string_view hint);
/// Prints what is wrong with the input; its exit code.
int refuse(const Error& error, const Console& console);
int refuse_all(const std::vector<Error>& errors, const Console& console);
void print_warnings(const Console& console, const std::vector<Error>& warnings);

}  // namespace kinloop::console

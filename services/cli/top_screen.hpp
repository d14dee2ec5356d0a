// Owns Screen: the terminal while top has it, and its return to what it was, however top ends.
#pragma once

#include <termios.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "services/cli/top_view.hpp"

namespace kinloop::cli {

/// The alternate screen, keys without Enter, no cursor. One at a time. Signals that end the program restore the
/// terminal first; Ctrl-C stays with the caller.
class Screen {
 public:
  explicit Screen(std::ostream& out);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Whether standard input and output are a terminal.
  static bool is_possible() noexcept;
  static WindowSize size() noexcept;

  void draw(const std::string& lines);
  /// A key, or nothing if none was pressed in time.
  static std::optional<char> wait_for_key(std::chrono::milliseconds timeout);

 private:
  std::ostream& out_;
};

}  // namespace kinloop::cli

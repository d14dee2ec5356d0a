// Owns what a log needs to know of the console.
#pragma once

#include "services/console/console.hpp"
#include "services/log/log.hpp"

namespace kinloop::run {

/// The error stream, which must outlive the log.
inline log::ConsoleOutput log_console(const console::Console& console) {
  return {&console.err, console.err_descriptor, console.err_colours, console.err_is_terminal, console.err_is_journal};
}

}  // namespace kinloop::run

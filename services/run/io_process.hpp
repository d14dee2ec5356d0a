// Owns io's own process.
#pragma once

#include "services/console/console.hpp"
#include "services/io/io.hpp"

namespace kinloop::run {

/// Finds the memory that the supervisor handed over, and serves until it is told to end. Returns the exit code.
int run_io_process(io::IoOptions options, const console::Console& console);

}  // namespace kinloop::run

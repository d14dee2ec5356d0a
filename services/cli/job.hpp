// Owns Job: what the command line asked for, to be done once it is understood as a whole.
#pragma once

#include <functional>

#include "services/console/console.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kinloop::cli {

/// Returns an exit code.
using Job = std::function<int(const console::Console&)>;

}  // namespace kinloop::cli

// Owns the options that verbs share for reading a model.
#pragma once

#include "services/cli/job.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

/// Adds --set and --base; `options` must outlive the parsing.
void add_load_options(CLI::App& verb, LoadOptions& options);

}  // namespace kinloop::cli

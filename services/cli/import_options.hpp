// Owns the options that verbs share for reading URDF and SDF.
#pragma once

#include "services/cli/job.hpp"
#include "services/import/imported_model.hpp"

namespace kinloop::cli {

/// `options` must outlive the parsing.
void add_import_options(CLI::App& verb, ImportOptions& options);

}  // namespace kinloop::cli

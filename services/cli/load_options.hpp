// Owns the options that verbs share for reading a model.
#pragma once

#include <filesystem>
#include <string>

#include "services/cli/job.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

/// Adds --set, --base, --closed-loops and --strict; `options` must outlive the parsing.
void add_load_options(CLI::App& verb, LoadOptions& options);

/// What a report calls a model: its name, or that of its file where it has none.
std::string shown_name(const Model& model, const std::filesystem::path& file);

}  // namespace kinloop::cli

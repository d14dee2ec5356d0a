// Owns the report of `check` as it is printed: text for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/constraints/assembly.hpp"
#include "core/integrators/step_limits.hpp"
#include "services/cli/check_report.hpp"
#include "services/console/console.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

/// All that `check` has found out.
struct CheckFindings {
  std::string name;  // of the model, for people
  CheckReport report;
  FastestMotion fastest;
  IntegratorChoice integrator;
  std::vector<Error> warnings;
  std::optional<Assembly> assembly;
};

void print_check_text(const LoadedModel& loaded, const CheckFindings& found, const console::Console& console);
void print_check_json(const LoadedModel& loaded, const CheckFindings& found, const console::Console& console);

}  // namespace kinloop::cli

// Owns the writing of rig files: the configuration in force, so that a run can be repeated from it alone.
#pragma once

#include <string>

#include "services/rig/rig_spec.hpp"

namespace kinloop {

/// The rig as a file that loads to an equal description: every default written out, SI units, all digits. `model` is
/// the path under which the file names the model.
/// Precondition: the description was loaded, so that it has a command for each actuator and at least one solver.
std::string write_rig(const RigSpec& spec, const std::string& model);

/// The name under which the model lies beside a rig that is kept with a run or in a record.
std::string kept_model_name(const RigSpec& rig);

}  // namespace kinloop

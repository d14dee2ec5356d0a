// Owns the sections of `panel` that have files of their own.
#pragma once

#include "services/rig/rig_sections.hpp"
#include "services/rig/rig_spec.hpp"

namespace kinloop {

/// `drive`: how a person moves actuators. The scope has the lists of names.
void read_drive(Fields& panel, const RigScope& scope, PanelSpec& out);
/// `scenarios`: the instructor's buttons. The scope has the lists of names.
void read_scenarios(Fields& panel, const RigScope& scope, PanelSpec& out);

}  // namespace kinloop

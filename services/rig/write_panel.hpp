// Owns the writing of a rig's section `panel`.
#pragma once

#include "services/rig/panel_spec.hpp"
#include "services/rig/yaml_lines.hpp"

namespace kinloop {

void write_panel(const PanelSpec& panel, Lines& lines);

}  // namespace kinloop

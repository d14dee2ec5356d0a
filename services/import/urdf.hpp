// Owns the import of URDF files.
#pragma once

#include <filesystem>
#include <string>

#include "services/import/imported_model.hpp"

namespace kinloop {

/// Reads a URDF file of at most kMaxImportBytes; mesh files and packages it names are never opened.
///
/// Taken over: links with inertia and primitive shapes (visual ones, else those for collision), revolute, continuous,
/// prismatic, fixed, floating and planar joints with limits, damping and friction, mimic joints as couplings. A root
/// link named 'world' or 'ground' is the ground; for others see ImportOptions::base. A joint whose lower limit equals
/// its upper one is locked there, unless both are zero, as exporters leave them that know no limits: then it has none.
/// A joint whose range does not contain zero starts in the middle of it. All of this is told in warnings.
/// Ignored: effort and velocity limits, safety controllers, calibration, transmissions, gazebo extensions, meshes.
/// Errors have the form "file:line:column: link 'x': what is wrong", all at once.
ImportResult import_urdf(const std::filesystem::path& path, const ImportOptions& options = {});

/// The same from a text; `file_name` stands in messages.
ImportResult import_urdf_text(const std::string& text, const std::string& file_name, const ImportOptions& options = {});

}  // namespace kinloop

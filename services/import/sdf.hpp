// Owns the import of SDF files.
#pragma once

#include <filesystem>
#include <string>

#include "services/import/imported_model.hpp"

namespace kinloop {

/// Reads an SDF file of at most kMaxImportBytes with one model, alone or in a world, whose gravity is then taken over.
/// Nothing is fetched: meshes and textures are not opened, <include> is refused.
///
/// Taken over: links with inertia and primitive shapes (visual ones, else those for collision), poses in any frame,
/// joints between any links, so also such that close loops (spanning_tree.hpp chooses), of the types revolute,
/// continuous, prismatic, ball, universal, revolute2 (with perpendicular axes), screw and fixed, with limits, damping,
/// friction and springs. A joint whose lower limit equals its upper one is locked there.
/// Refused by name: gearbox joints, mimic axes, nested models, static models.
/// Ignored: effort and velocity limits, limit stiffness, sensors, plugins, contact, the axis of ball joints.
/// Errors have the form "file:line:column: joint 'x': what is wrong", all at once.
/// libsdformat keeps a log of its own, ~/.sdformat/sdformat.log, and cannot be told not to.
ImportResult import_sdf(const std::filesystem::path& path, const ImportOptions& options = {});

/// The same from a text; `file_name` stands in messages.
ImportResult import_sdf_text(const std::string& text, const std::string& file_name, const ImportOptions& options = {});

}  // namespace kinloop

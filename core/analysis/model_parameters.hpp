// Owns the numbers of a mechanism that steps can be differentiated by, and that identification finds: by names.
//
//   mass.<body>                                                      kg; the inertia about the centre of mass is held
//   damping. friction. stiffness. force. rotor_inertia.<coordinate>  of a joint's coordinate, by its speed's name
//   damping. stiffness.<spring>
//
// They leave all positions as they are: lengths and centres do not belong to them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/derivatives/parameter_forces.hpp"

namespace kinloop {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// All that are not zero.
NamedValues model_parameters(const Model& model);

/// Those that patterns name: "mass.boom", "friction.*", "mass.*". In the order of the patterns, none twice. An error
/// where a pattern fits none.
Result<NamedValues> choose_parameters(const Model& model, const std::vector<std::string>& patterns);

/// The same mechanism with these values; all names are known. An error where it is none.
Result<Model> with_parameters(const Model& model, const NamedValues& values);

/// What ParameterForces works with, one for each of these; their values are not zero.
Result<std::vector<std::unique_ptr<ParameterModels>>> parameter_neighbours(const Model& model,
                                                                           const NamedValues& values);

}  // namespace kinloop

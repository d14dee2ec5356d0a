// Knows the formulations that are written for both algebras.
#include "core/dynamics/planar_form.hpp"

#include "core/dynamics/formulations.hpp"
#include "core/kinematics/motion_plane.hpp"

namespace kinloop {

bool takes_planar_form(std::string_view formulation, const Model& model) {
  const bool has_form = formulation == formulations::kRcr.name || formulation == formulations::kRfda.name ||
                        formulation == formulations::kSemiRecursive2.name;
  return has_form && find_motion_plane(model).has_value();
}

}  // namespace kinloop

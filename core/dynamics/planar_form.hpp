// Owns which formulations have a planar form (003: three coordinates a body), and their spatial forms beside it.
//
// Where joints and frames keep a mechanism in one plane (core/kinematics/motion_plane.hpp), these formulations take the
// planar form by themselves. Both are one algorithm over two algebras (core/kinematics/motion_view.hpp).
#pragma once

#include <memory>
#include <string_view>

#include "core/dynamics/forward_dynamics.hpp"

namespace kinloop {

/// Whether this formulation solves this model in its plane.
bool takes_planar_form(std::string_view formulation, const Model& model);

namespace formulations {

/// The spatial forms, whatever the mechanism: what the planar ones are compared with. Answers are not verified.
std::unique_ptr<Dynamics> make_spatial_rcr(const Model& model);
std::unique_ptr<Dynamics> make_spatial_rfda(const Model& model);
std::unique_ptr<Dynamics> make_spatial_semi_recursive_2(const Model& model);

}  // namespace formulations

}  // namespace kinloop

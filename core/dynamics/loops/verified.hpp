// Owns the verification of answers for closed loops: a formulation, and others that are asked where it fails.
//
// Every evaluation compares what the loop constraints ask with what they get; the first of a step takes one step of
// iterative refinement besides. An answer beyond the bounds is given up: at the first evaluation the next formulation
// is asked at once, later the integrator begins the step again with it (Integrator::step). Which one answers follows
// from the state alone: every step begins with the first.
#pragma once

#include <vector>

#include "core/dynamics/forward_dynamics.hpp"

namespace kinloop {

/// The first of the formulations is the one asked for; its name is the name of all.
std::unique_ptr<Dynamics> make_verified(const Model& model, std::vector<std::unique_ptr<Dynamics>> formulations);

}  // namespace kinloop

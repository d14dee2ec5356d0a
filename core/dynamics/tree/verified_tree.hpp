// Owns the verification of answers for trees: the recursive formulation is asked where another one fails.
//
// Inverse dynamics of the answer, O(n): every speed's equation of motion must hold to rounding of the terms it is the
// sum of. `rfda` itself, the default, is not checked while it runs: it eliminates one positive pivot a speed, refuses
// where one vanishes, and is what everything else is compared with in the sweep (bench/adversary).
#pragma once

#include "core/dynamics/forward_dynamics.hpp"

namespace kinloop {

std::unique_ptr<Dynamics> make_verified_tree(const Model& model, std::unique_ptr<Dynamics> formulation,
                                             std::unique_ptr<Dynamics> rfda);

}  // namespace kinloop

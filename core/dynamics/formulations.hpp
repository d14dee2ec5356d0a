// Owns the list of formulations for registry.cpp: each entry is defined in the file of its name.
#pragma once

#include "core/dynamics/forward_dynamics.hpp"

namespace kinloop::formulations {

extern const DynamicsKind kSemiRecursive1;
extern const DynamicsKind kSemiRecursive2;
extern const DynamicsKind kRfda;
extern const DynamicsKind kRfdaConstraint;
extern const DynamicsKind kHybrid;
extern const DynamicsKind kPartition;
extern const DynamicsKind kRcr;

/// No refusal: trees and loops alike.
std::string accept_all(const Model& model);

/// The refusal shared by all methods that know trees only.
std::string refuse_loops(const Model& model);

}  // namespace kinloop::formulations

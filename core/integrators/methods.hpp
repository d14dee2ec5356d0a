// Owns the list of integrators for table.cpp: each entry is defined in the file of its name, ab* in
// adams_bashforth.cpp.
#pragma once

#include "core/integrators/integrator.hpp"

namespace kinloop::integrators {

extern const IntegratorKind kSemiImplicitEuler;
extern const IntegratorKind kHeun;
extern const IntegratorKind kRk4;
extern const IntegratorKind kAb2;
extern const IntegratorKind kAb3;
extern const IntegratorKind kAb4;
extern const IntegratorKind kLinearlyImplicit;

}  // namespace kinloop::integrators

// Owns the quantities of hydraulics that several tables of keys have.
#pragma once

#include "services/rig/field_kinds.hpp"

namespace kinloop {

inline Number pressure(Range range) { return {Dimension::pressure(), "Pa", range}; }
inline Number volume() { return {Dimension::volume(), "m^3", Range::kPositive}; }
inline Number flow() { return {Dimension::flow(), "m^3/s", Range::kPositive}; }

}  // namespace kinloop

// Owns how the motion columns of a joint change with its own coordinates.
#pragma once

#include "core/joints/joint.hpp"

namespace kinloop {

/// Bit j of entry i: moving along speed j carries the axis of column i along, as it carries the body. Else the column
/// stays as it is in A.
std::array<unsigned char, 6> carried_columns(JointType type) noexcept;

/// What a column does besides: d(Hv of speed 0)/dq_0 of a cam, and its derivative; in the axes of A.
struct ColumnBend {
  Vec3 first, second;
};
/// Whether a joint has such a bend, of its first speed by itself.
bool bends(JointType type) noexcept;
/// The third derivative of a profile is a difference of its second. No allocation.
ColumnBend column_bend(const JointParameters& parameters, const double* q) noexcept;

}  // namespace kinloop

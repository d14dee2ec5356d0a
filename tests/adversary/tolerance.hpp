// Owns how far an answer in double may lie from the reference before it is wrong.
//
// No method can be better than its input. Every number of the description and of the state is moved by a random share
// of 1e-14 (45 eps), three times over, and the reference is solved again with the rank held: what vdot moves by, d, is
// what an error in the last two digits makes of this mechanism at this state. An answer may be off by
//
//   100 d + (1e-8 + 1000 eps / sigma) s
//
// with s the largest acceleration of the mechanism in units of the speed (rad, lengths of the joint) and sigma the
// least singular value of the constraints. The second term is for methods that are stable as a whole, not in every
// component: a sound choice of coordinates costs a few digits more than the input deserves, and near a singular
// position rounding of any row reaches all of them. The stored vectors watch over the digits that this leaves.
#pragma once

#include "tests/adversary/reference.hpp"

namespace kinloop::adversary {

inline constexpr double kPerturbation = 1e-14;
inline constexpr double kAmplificationMargin = 100.0;
inline constexpr double kRelativeTolerance = 1e-8;
inline constexpr double kStability = 1000.0 * 0x1p-52;

/// The unit of every speed: 1 rad/s, or one length of the joint per second.
VectorXR speed_units(const ModelSpec& spec, const Topology& topology);

/// One entry per speed. `share`: instead of kPerturbation, where loops are open by more than that.
VectorXR tolerance_of(const ModelSpec& spec, const Topology& topology, const Situation& at, const Reference& reference,
                      double share = kPerturbation);

/// How far the energy of an answer in double may lie from that of the same motion: what the same shares change of it,
/// with the same margin. Nor than what speeds of 1e-12 carry: a mechanism may rest without any energy.
Real energy_tolerance(const ModelSpec& spec, const Topology& topology, const Situation& at);

}  // namespace kinloop::adversary

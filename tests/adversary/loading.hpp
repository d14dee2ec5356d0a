// Owns what is added to a mechanism that stands: forces, drives, gears, massless links, speeds.
#pragma once

#include "tests/adversary/reference.hpp"
#include "tests/support/random.hpp"

namespace kinloop::adversary {

/// Removes optional loops, the last first, while nothing can move; returns how many.
int unlock(ModelSpec& spec);

/// Each adds only what leaves the mechanism movable and determined.
void add_couplings(int count, Random& random, ModelSpec& spec);
void add_drives(int count, Random& random, ModelSpec& spec);
void take_masses(Random& random, ModelSpec& spec);

void add_point_springs(bool damped, Random& random, ModelSpec& spec);
/// Springs, rotors and constant forces along coordinates, of a size that suits what they move.
void add_joint_springs(bool damped, Random& random, ModelSpec& spec);
void add_joint_forces(Random& random, ModelSpec& spec);
void add_rotors(Random& random, ModelSpec& spec);

/// Random speeds that fit the loops: the fastest joint turns at `rate_per_s`, or slides as many of its lengths.
void set_speeds(Real rate_per_s, Random& random, ModelSpec& spec);

bool is_conservative(const ModelSpec& spec);

}  // namespace kinloop::adversary

// Owns the mechanisms with closed loops that tests share: random ones, and the well-known ones with parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/mechanisms.hpp"

namespace kinloop::mechanisms {

struct LinkageOptions {
  TreeOptions tree;
  int loops = 1;
  int couplings = 0;      // between single-coordinate joints, where the tree has enough of them
  bool massless = false;  // some bodies between others have no mass
  /// Draws a loop again whose weakest constraint stands out of the others by less than this share.
  double least_share = 1e-3;
};

/// tree_options_in_turn(), chains, massless bodies, couplings and up to seven loops by turns.
LinkageOptions linkage_options_in_turn(int i);

/// A random tree with loop joints of random types between random bodies, the ground included; closed in the initial
/// state, in positions to rounding and in velocities. At least one dof is left, and driven joints can follow their
/// motion. Fewer loops than asked for where the tree allows no more. The same bits for the same arguments.
ModelSpec random_linkage(std::uint64_t seed, int n, const LinkageOptions& options = {});

/// The number of ways in which the mechanism can move from its initial state, driven joints held.
int dofs(const Model& model);

/// Names of all formulations that can treat the model.
std::vector<std::string_view> methods_for(const Model& model);

/// Takes from the initial velocities what would tear loops open, by the smallest change.
void close_velocities(ModelSpec& spec);

/// The whole mechanism in another place, gravity turned with it.
ModelSpec placed(ModelSpec spec, const Pose& X);

/// A crank-rocker in the x-y plane with its crank at `crank_rad`, turning at `spin_rad_s`; gravity along -y.
ModelSpec four_bar(double crank_rad = 1.0, double spin_rad_s = 5.0);

/// n windows of equal rods, 2 n + 1 of them: bars stand at `angle_rad` against the ground and all turn at `rate_rad_s`.
/// At 0 and pi all windows are flat: the mechanism could fold in many ways. Gravity along -y.
ModelSpec n_four_bar(int n, double angle_rad, double rate_rad_s);

/// n windows of unequal rods side by side. In one of them coupler and far bar enclose `fold_rad`: at 0 they are in
/// line, a dead centre in which they are no dependent coordinates for their loop. At rest; gravity along -y.
ModelSpec ladder(int n, int folded, double fold_rad);

/// The same, n from 6 on, with two windows folded by this angle: in one coupler and far bar are in line at 0, in one
/// further on coupler and near bar. Whichever end loops are opened from, the last coordinates of one are no dependents;
/// rank is not lost.
ModelSpec folded_ladder(int n, double fold_rad);

/// n four-bars, each standing on the coupler of the one before.
ModelSpec four_bar_chain(int n);

/// A net of rows x columns meshes of rods, pinned at their ends, in the x-y plane: its loops share rods.
ModelSpec lattice(int rows, int columns);

/// Of configs/models.
ModelSpec config(const std::string& name);

}  // namespace kinloop::mechanisms

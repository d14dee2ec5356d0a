// Owns the mechanisms that tests share: descriptions made in code, to be altered and compiled.
#pragma once

#include <cstdint>
#include <string>

#include "core/forces/loads.hpp"
#include "core/model/state.hpp"
#include "tests/support/random.hpp"

namespace kinloop::mechanisms {

/// Aborts with all errors if the description is not a model.
Model compiled(const ModelSpec& spec);

/// A homogeneous rod of 1 m and 1 kg on a revolute joint about y at its end; q = 0 hangs down, starts at 1 rad.
ModelSpec pendulum();

/// Two such rods in one plane, starting at 1 rad and -0.5 rad with some speed.
ModelSpec double_pendulum();

/// n bars of 0.5 m; revolute joints whose axes turn by 90 degrees about the bar from each to the next.
ModelSpec chain(int n);

/// One body on a free joint, three different moments of inertia, centre of mass at the joint frame, no gravity;
/// tumbling.
ModelSpec free_body();

/// A top: a body on a spherical joint with its centre of mass off the joint, in gravity.
ModelSpec spherical_top();

/// One body on the ground by one joint, its centre of mass at the joint frame, its moments of inertia all equal.
ModelSpec one_body(const std::string& body, double mass_kg, double moment_kg_m2, const std::string& joint,
                   JointType type);

struct TreeOptions {
  bool joint_forces = false;  // springs, dampers and smooth dry friction along some coordinates
  bool armature = false;      // rotor inertias
  bool driven = false;        // some scalar coordinates are prescribed
  bool springs = false;       // n / 2 + 1 point springs between random bodies
  bool bushings = false;      // n / 4 + 1 bushings, deflected a little in the initial state
  bool shuffled = false;      // joints stand in the file in any order, so coordinates do not follow the tree
  bool chain = false;         // every body hangs on the one before
};

/// Joint forces, rotors, driven joints and springs take turns, so that all combinations occur in 16 numbers.
TreeOptions tree_options_in_turn(int i);

/// n bodies, all joint types in turn in a random order: with n >= 11 every type occurs. Random frames, valid inertias,
/// centres of mass off the joints; the initial state is random and moving. The same bits for the same arguments.
ModelSpec random_tree(std::uint64_t seed, int n, const TreeOptions& options = {});

/// Puts q and v anywhere: |v| < 1, quaternions of unit length, driven coordinates where their motion wants them.
void randomize(const Model& model, Random& random, State& state);

/// |tau| < 1 along every speed and a wrench on every second body.
Loads random_loads(const Model& model, Random& random);

}  // namespace kinloop::mechanisms

// Owns the reference: accelerations of a closed mechanism by a slow dense method that shares no code with core.
//
// The equations are those of all bodies with six accelerations each and all joints as constraints. The rows of the
// tree's joints are triangular and are eliminated by substitution; what is left are the rows of loops and couplings,
// J vdot = gamma, and M vdot = h + J^T lambda, solved in the null space of J:
//
//   vdot = x + N y,  x = J^+ gamma,  N^T M N y = N^T (h - M x)
//
// with J^+ and N from the singular values of J, its rows and columns brought to size 1 before. Long double throughout.
#pragma once

#include <optional>
#include <string>

#include "tests/adversary/loop_rows.hpp"

namespace kinloop::adversary {

/// A force at a point of a body (body frame) with a couple besides, world axes.
struct Wrench {
  std::string body;
  Vector3 point = Vector3::Zero(), force = Vector3::Zero(), moment = Vector3::Zero();
};

struct Situation {
  VectorXR q, v;
  Real time_s = 0;
  VectorXR tau;  // along every speed; empty: none
  std::vector<Wrench> wrenches;
};

/// The initial state of a description.
Situation initial_situation(const ModelSpec& spec);

enum class Verdict {
  kRegular,
  kAmbiguous,       // no clear gap in the singular values, or within ten times of what the engine calls singular
  kDrivesConflict,  // driven joints cannot follow their motions
  kNoInertia,       // a degree of freedom moves no mass
  kShaky,           // the speeds fit the loops, but no motion goes on from them: mobile only to first order
  kLocked,          // nothing can move
};
const char* name_of(Verdict verdict);

struct Reference {
  Verdict verdict = Verdict::kRegular;
  VectorXR vdot;
  int rank = 0, dofs = 0;
  Real kept = 1, dropped = 0;    // the singular values on both sides of the gap
  bool tree_has_inertia = true;  // the open tree's mass matrix is regular
  Real fastest_per_s = 0;        // of angular velocities and roots of angular accelerations of the bodies
};

/// `held_rank`: that of a state nearby instead of this one's own.
Reference solve_reference(const ModelSpec& spec, const Topology& topology, const Situation& at,
                          std::optional<int> held_rank = {});

/// How far loops and couplings are from being closed.
struct Openness {
  Real error = 0;  // rad, distances in lengths of each loop
  Real rate = 0;   // of velocities, relative to the fastest of its loop, or a thousandth of the fastest of all
};
Openness openness_of(const ModelSpec& spec, const Topology& topology, const Situation& at);

/// Makes speeds fit the loops and the driven motions: the particular ones, plus the part of `wish` that is free.
/// Empty where driven joints conflict.
std::optional<VectorXR> consistent_speeds(const ModelSpec& spec, const Topology& topology, const Situation& at,
                                          const VectorXR& wish);

struct EnergyR {
  Real kinetic = 0, potential = 0;
  Real total() const { return kinetic + potential; }
};
EnergyR energy_of(const ModelSpec& spec, const Topology& topology, const Situation& at);

/// What prescribes a speed, if anything does.
const FunctionSpec* motion_of(const ModelSpec& spec, const Topology& topology, int speed);

}  // namespace kinloop::adversary

// Owns ReactionSweep: the reactions of all joints, cut or not, in real time (000 §6; docs/theory/rcr.md §8).
//
// Accelerations are known, so every body tells the wrench that its joints must bring together. Inward along the
// depth-first tree of the loops these sums are handed on; a loop adds multipliers at its tip and takes them away at its
// base, and between them every coordinate is an equation, column . W = force along it. One sweep in, one over the
// multipliers, one for the wrenches: O(n + m) while loops do not overlap, and O(L^2) for each body and each multiplier
// where L are live at a time, which the model bounds in any position. No allocation after construction.
//
// What redundant constraints leave open shows in self-stresses drawn at random that pass through the same sweeps: a
// component they touch is not unique, and its value is one of many.
#pragma once

#include <vector>

#include "core/dynamics/reactions/multiplier_elimination.hpp"
#include "core/dynamics/reactions/reaction.hpp"
#include "core/topology/reduced_loop_rows.hpp"

namespace kinloop {

class ReactionSweep {
 public:
  explicit ReactionSweep(const Model& model);

  /// From ws.A, ws.vdot, ws.tau, ws.load and the loop constraints, as accelerations() leaves them. False where the
  /// forces do not balance: then no component is unique. No allocation.
  bool update(const Model& model, const Workspace& ws) noexcept;
  /// No component is unique: nothing is known.
  void clear() noexcept;

  const Reaction& joint(int k) const noexcept { return joints_[k]; }  // of body k, from 1
  const Reaction& loop(int l) const noexcept { return loops_[l]; }

 private:
  struct Closing {
    int first = 0, count = 0;  // multipliers
    int first_draw = 0;        // of its unmoved directions
    double length_m = 1.0;
  };
  /// A coupling at one of its coordinates: factor times its force acts along the coordinate.
  struct CoupledSlot {
    int coupling = 0;
    double factor = 0.0;
  };

  void find_closings();
  void find_couplings(const Model& model);
  MultiplierElimination::Sizes sizes(const Model& model) const;
  int multiplier_of(int coupling) const noexcept { return first_coupling_ + coupling; }

  void find_demands(const Model& model, const Workspace& ws) noexcept;
  void find_coupling_units() noexcept;
  double applied_force(const Workspace& ws, int slot) const noexcept;
  double slot_scale(int slot, double length_m) const noexcept;
  void find_directions() noexcept;
  /// What a closing carries without its multipliers: loads, and the self-stresses of its unmoved directions.
  CarriedWrench known_wrench(const Workspace& ws, int c) const noexcept;

  void eliminate(const Workspace& ws) noexcept;
  void add_closing(const Workspace& ws, int c) noexcept;
  void meet_coupling(const CoupledSlot& coupled) noexcept;
  /// All that depends on its multiplier has been said.
  void leave_coupling(const CoupledSlot& coupled) noexcept;
  /// The rest of the equation of a coordinate: what acts along it.
  void end_equation(const Workspace& ws, int slot, double scale) noexcept;

  /// Adds what the multipliers do.
  void find_closing_wrenches() noexcept;
  void sum_wrenches() noexcept;
  void report(const Workspace& ws) noexcept;

  LoopGraph graph_;
  GraphMotion motion_;
  ReducedLoopRows rows_;
  IndexedVector<Closing> closings_;
  IndexedVector<IndexedVector<int>> tips_, bases_;     // body -> closings
  IndexedVector<IndexedVector<CoupledSlot>> coupled_;  // slot -> couplings
  int first_coupling_ = 0;                             // multipliers of couplings follow those of closings
  IndexedVector<int> coupling_slots_;                  // coupling -> how many coordinates it acts on
  IndexedVector<int> unit_slot_;                       // coupling -> the one that its unit is taken from
  IndexedVector<double> length_m_;                     // body -> of the smallest loop through its joint
  IndexedVector<int> open_;                            // body -> loops through its joint
  std::vector<MultiplierElimination::Multiplier> multipliers_;
  IndexedVector<RightSides> draws_;  // per unmoved direction
  MultiplierElimination elimination_;

  double demanded_Nm_ = 0.0;                     // size of all that bodies ask for
  IndexedVector<CarriedWrench> wrench_;          // per body: what it asks for, then what its joint carries, at x_b
  IndexedVector<SpatialVector> direction_;       // per multiplier of a closing, on its tip at the closing point
  IndexedVector<CarriedWrench> closing_wrench_;  // on the tip, at the closing point: what is known, then all of it
  IndexedVector<double> coupling_unit_;
  IndexedVector<int> coupling_left_;            // coordinates that the sweep has not met
  IndexedVector<double> stress_N_, stress_Nm_;  // per body: size of the self-stresses through its joint
  IndexedVector<double> closing_stress_N_;
  IndexedVector<Reaction> joints_, loops_;
};

}  // namespace kinloop

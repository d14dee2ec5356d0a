// Owns CheckReport: what `check` finds out about a model at its initial state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/constraints/assembly.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/constraints/end_stops.hpp"
#include "core/dynamics/energy.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/loop_cost.hpp"
#include "core/topology/planar_loops.hpp"
#include "services/files/best_cuts.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

struct CheckReport {
  int constraint_rows = 0;
  ConstraintRank rank;       // all speeds movable
  ConstraintRank free_rank;  // driven speeds held
  int driven = 0;
  int mobility = 0;  // speeds that are neither driven nor determined by loops and couplings
  double length_m = 1.0;
  double largest_speed_error = 0.0;                    // of C v, pure number per second
  std::vector<LoopGap> gaps;                           // one per loop joint
  std::vector<std::optional<PlanarLinkage>> linkages;  // likewise: what is closed in closed form; empty for the others
  MassCentre mass;
  Energy energy;
  AutoChoice choice;                         // or the formulation that is asked for
  std::optional<EvaluationCost> evaluation;  // by it, of closed loops
  std::optional<CutChoice> cuts;  // nothing where the model has no loops, does not start closed, or is too large
  bool planar = false;            // the formulation solves the model in its plane
  std::vector<BareStop> stops;    // end stops without a stiffness that have limits beyond what the loops permit

  int redundant() const noexcept { return constraint_rows - rank.rank; }
};

CheckReport check_model(const Model& model, std::string_view dynamics = "auto");

/// How `partition` finds the dependent coordinates of a loop.
inline std::string closure_of(const std::optional<PlanarLinkage>& linkage) {
  return linkage ? "closed_form" : "numeric";
}

/// "joint a in place of close" for every cut that had better be another; empty where all are well chosen.
std::string better_cuts(const Model& model, const CutChoice& choice);

}  // namespace kinloop::cli

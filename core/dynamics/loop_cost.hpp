// Owns the cost model of closed loops: by it `auto` chooses among formulations, and deadlines are judged.
#pragma once

#include <optional>
#include <string_view>

#include "core/model/model.hpp"

namespace kinloop {

/// Nanoseconds of the first evaluation of a step, its check included, where short tails are good: fitted to the least
/// thread times of 100 batches on one machine, of the models in configs, ladders, chains of four-bars, lattices and 60
/// random linkages. Right to a factor of 1.5; of three linkages that start where short tails are poor, it is up to 3
/// times too low for `rcr`. What counts is which one is less.
struct LoopCost {
  double rcr_ns = 0.0;
  double semi_recursive_2_ns = 0.0;
};

LoopCost estimate_loop_cost(const Model& model);

/// By a formulation for closed loops, 0 for others.
double estimate_evaluation_ns(std::string_view formulation, const Model& model);

struct EvaluationCost {
  double usual_ns = 0.0;
  /// One whose answer is given up and asked of the next formulation: what a deadline has to leave room for.
  double with_fallback_ns = 0.0;
};

/// By a formulation, `auto` included, of closed loops; nothing for trees. In registry.cpp.
std::optional<EvaluationCost> estimate_evaluation(std::string_view formulation, const Model& model);

}  // namespace kinloop

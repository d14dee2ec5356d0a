// Owns Batch: many states of one model, stepped at once in the lanes of SIMD registers.
//
// A state's result depends on that state and its loads alone: not on its neighbours, nor on how many there are, nor on
// the width. Where lanes do not do (docs/batches.md), they leave the state as it was and say so; whoever steps it then
// does that by the single path, core/integrators.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/base/result.hpp"
#include "core/integrators/constraint_projection.hpp"

namespace kinloop {

struct BatchSettings {
  std::string_view dynamics = "auto";  // that the single path would use
  std::string_view integrator = "semi_implicit_euler";
  double dt_s = 1e-3;
  Stabilization loops;
  int width = 0;  // states at once: 2, 4 or 8; 0: as many as the widest instructions of this build take
};

class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  virtual ~Batch() = default;

  /// Most states of a step().
  virtual int width() const noexcept = 0;

  /// One step of each state under the generalised forces applied to it, nv each, held over the step. done[i] is 1 where
  /// state i has advanced; where it is 0, the state is as it was and wants the single path. No allocation.
  virtual void step(std::span<State* const> states, std::span<const double* const> tau,
                    std::span<char> done) noexcept = 0;
};

/// The model must outlive it. An error says why lanes do not treat this model, or these settings.
Result<std::unique_ptr<Batch>> make_batch(const Model& model, const BatchSettings& settings);

}  // namespace kinloop

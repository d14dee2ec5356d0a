// Owns what a step of some length may hold: the choice of `auto`, and warnings where a method was named that diverges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/integrators/fastest_motion.hpp"
#include "core/integrators/integrator.hpp"

namespace kinloop {

/// A method of `auto`, and why.
struct IntegratorChoice {
  std::string name;
  std::string reason;
};

inline constexpr std::string_view kAutoIntegrator = "auto";

/// `preferred`, an explicit method, where the step resolves all that is fast in the mechanism; linearly_implicit where
/// it does not. rk4 instead of semi_implicit_euler where bodies spin, or have a joint to, that the latter has no drift
/// for.
IntegratorChoice choose_integrator(const Model& model, const FastestMotion& fastest, double dt_s,
                                   std::string_view preferred, std::span<const Drive> drives = {});

/// Names a body, joint or drive that this method cannot follow in steps of this length, and says what happens then.
/// Methods of no name: what would happen to explicit ones.
std::vector<Error> step_warnings(const Model& model, const FastestMotion& fastest, double dt_s,
                                 std::string_view integrator, std::span<const Drive> drives = {});

/// Why and when steps of linearly_implicit take a matrix of all speeds instead of the recursion; empty: never.
std::string dense_steps(const Model& model);

/// What a run has met that was not there at its start.
std::string describe(const CoarseSteps& coarse, const Model& model);

}  // namespace kinloop

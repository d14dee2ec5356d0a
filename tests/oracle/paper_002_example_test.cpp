// A chain of seven hinges cut in pieces as paper 002 does, with data of our own since the paper gives none, against the
// recursion over the whole. docs/theory/pictures/examples.py draws it.
#include <gtest/gtest.h>

#include "core/integrators/integrator.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

State moved_by(const Model& model, const char* formulation) {
  State state(model);
  Workspace ws(model);
  const auto dynamics = make_dynamics(formulation, model).value();
  const auto integrator = make_integrator("rk4", model).value();
  for (int step = 0; step < 1000; ++step) {
    EXPECT_EQ(integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws), StepStatus::kOk);
  }
  return state;
}

TEST(Paper002Example, AChainFallsInPiecesAsItDoesInOne) {
  const Model model = mechanisms::compiled(mechanisms::config("arm7"));

  const State pieces = moved_by(model, "hybrid");
  const State whole = moved_by(model, "rfda");

  const State start(model);
  EXPECT_GT((whole.q() - start.q()).cwiseAbs().maxCoeff(), 1.0) << "it falls";
  constexpr double kRounding = 1e-9;  // as a falling chain lets it grow
  EXPECT_LT((pieces.q() - whole.q()).cwiseAbs().maxCoeff(), kRounding);
  EXPECT_LT((pieces.v() - whole.v()).cwiseAbs().maxCoeff(), 10.0 * kRounding);
}

}  // namespace
}  // namespace kinloop

// Tests that answers for trees are verified: a wrong one is replaced, and counted.
#include "core/dynamics/tree/verified_tree.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string_view>

#include "tests/support/allocation_count.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

using Damage = std::function<void(Workspace&)>;

class Damaged final : public Dynamics {
 public:
  Damaged(const Model& model, Damage damage, std::string_view of = "semi_recursive_1")
      : of_(std::move(make_bare_dynamics(of, model)).value()), damage_(std::move(damage)) {}

  std::string_view name() const noexcept override { return "damaged"; }
  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    const StepStatus status = of_->solve(model, ws);
    damage_(ws);
    return status;
  }
  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    of_->refine(tau, gap, change);
  }

 private:
  std::unique_ptr<Dynamics> of_;
  Damage damage_;
};

std::unique_ptr<Dynamics> bare_rfda(const Model& model) { return std::move(make_bare_dynamics("rfda", model)).value(); }

VectorX answer_of(const Model& model, Dynamics& dynamics) {
  Workspace ws(model);
  EXPECT_EQ(accelerations(model, State(model), Loads(model), dynamics, ws), StepStatus::kOk);
  return ws.vdot;
}

TEST(VerifiedTree, ReplacesWrongAnswersOfOneSpeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = mechanisms::compiled(mechanisms::random_tree(seed, 8));
    const VectorX right = answer_of(model, *bare_rfda(model));
    for (int i = 0; i < model.nv(); ++i) {
      if (model.coordinate(i).motion >= 0 || std::abs(right[i]) < 1e-6) continue;
      auto verified = make_verified_tree(
          model, std::make_unique<Damaged>(model, [i](Workspace& ws) { ws.vdot[i] *= 1.0 + 1e-4; }), bare_rfda(model));

      const VectorX answer = answer_of(model, *verified);

      EXPECT_EQ(answer, right) << "seed " << seed << ", speed " << i;
      EXPECT_EQ(verified->report().fallbacks, 1);
    }
  }
}

// What an answer is short of is found by inverse dynamics and added with the formulation's own factors.
TEST(VerifiedTree, FindsLostDigitsAgain) {
  for (const std::string_view name : {"semi_recursive_1", "semi_recursive_2", "partition", "rcr"}) {
    const Model model = mechanisms::compiled(mechanisms::random_tree(5, 8));
    const VectorX right = answer_of(model, *bare_rfda(model));
    const auto lose_digits = [](Workspace& ws) { ws.vdot *= 1.0 + 1e-11; };
    auto verified = make_verified_tree(model, std::make_unique<Damaged>(model, lose_digits, name), bare_rfda(model));

    EXPECT_LT(relative_difference(answer_of(model, *verified), right), 1e-13) << name;
    EXPECT_EQ(verified->report().fallbacks, 0) << name;
  }
}

TEST(VerifiedTree, ReplacesWhatIsNotANumber) {
  const Model model = mechanisms::compiled(mechanisms::random_tree(3, 5));
  auto verified = make_verified_tree(
      model,
      std::make_unique<Damaged>(model, [](Workspace& ws) { ws.vdot[0] = std::numeric_limits<double>::quiet_NaN(); }),
      bare_rfda(model));

  EXPECT_EQ(answer_of(model, *verified), answer_of(model, *bare_rfda(model)));
}

TEST(VerifiedTree, SaysSoWhereNoAnswerStands) {
  const Model model = mechanisms::compiled(mechanisms::random_tree(3, 5));
  const Damage damage = [](Workspace& ws) { ws.vdot *= 1.001; };
  auto verified =
      make_verified_tree(model, std::make_unique<Damaged>(model, damage), std::make_unique<Damaged>(model, damage));
  Workspace ws(model);

  EXPECT_EQ(accelerations(model, State(model), Loads(model), *verified, ws), StepStatus::kUnverified);
}

TEST(VerifiedTree, TakesSoundAnswersOfEveryFormulationWithoutAllocation) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model = mechanisms::compiled(mechanisms::random_tree(seed, 12));
    for (const DynamicsKind& kind : dynamics_kinds()) {
      if (!kind.refusal(model).empty()) continue;
      const auto verified = std::move(make_dynamics(kind.name, model)).value();
      const State state(model);
      const Loads loads(model);
      Workspace ws(model);
      const AllocationCount allocations;

      const StepStatus status = accelerations(model, state, loads, *verified, ws);

      EXPECT_EQ(allocations.value(), 0);
      EXPECT_EQ(status, StepStatus::kOk);
      EXPECT_EQ(verified->report().fallbacks, 0) << kind.name << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace kinloop

// Tests that answers are verified: formulations are sabotaged, and every sabotage must be caught.
#include "core/dynamics/loops/verified.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "core/base/at.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/loops/answer_check.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

/// What is done to an answer; the formulation is at hand for its factors.
using Sabotage = std::function<void(const Model&, Dynamics&, Workspace&)>;

enum class When { kAlways, kInStages };

/// A formulation with wrong answers.
class Sabotaged final : public Dynamics {
 public:
  Sabotaged(std::unique_ptr<Dynamics> of, Sabotage sabotage, When when)
      : of_(std::move(of)), sabotage_(std::move(sabotage)), when_(when) {}

  std::string_view name() const noexcept override { return "sabotaged"; }
  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    const StepStatus status = of_->solve(model, ws);
    if (status == StepStatus::kOk && (when_ == When::kAlways || held_)) {
      sabotage_(model, *of_, ws);
      update_body_accelerations(model, ws);
    }
    return status;
  }
  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    of_->refine(tau, gap, change);
    if (breaks_refinement_) change[0] += 1e-4;
  }
  /// Its refinement tears the loops open, its conditioning is as bad as it can be.
  void break_refinement() noexcept {
    breaks_refinement_ = true;
    report_.conditioning = 0.0;
  }
  void project(const ConstraintTarget& motion, VectorX& step) noexcept override { of_->project(motion, step); }
  void freeze_basis() noexcept override {
    held_ = true;
    of_->freeze_basis();
  }
  void release_basis() noexcept override {
    held_ = false;
    of_->release_basis();
  }

 private:
  std::unique_ptr<Dynamics> of_;
  Sabotage sabotage_;
  When when_;
  bool held_ = false;
  bool breaks_refinement_ = false;
};

std::unique_ptr<Dynamics> bare(std::string_view name, const Model& model) {
  return std::move(make_bare_dynamics(name, model)).value();
}

/// A sabotaged formulation, and a sound one behind it if asked for.
std::unique_ptr<Dynamics> with_sabotage(const Model& model, Sabotage sabotage, When when, bool has_fallback) {
  std::vector<std::unique_ptr<Dynamics>> formulations;
  formulations.push_back(std::make_unique<Sabotaged>(bare("semi_recursive_2", model), std::move(sabotage), when));
  if (has_fallback) formulations.push_back(bare("rcr", model));
  return make_verified(model, std::move(formulations));
}

/// The accelerations of the same mechanism without one of its loops: a row, or several, dropped.
Sabotage drop_a_loop(const ModelSpec& spec) {
  ModelSpec without = spec;
  without.loops.pop_back();
  auto open = std::make_shared<Model>(mechanisms::compiled(without));
  return [open](const Model&, Dynamics&, Workspace& ws) {
    const State state(*open);
    Workspace of_open(*open);
    accelerations(*open, state, Loads(*open), *std::move(make_dynamics("auto", *open)).value(), of_open);
    ws.vdot = of_open.vdot;
  };
}

/// One coordinate's acceleration is larger by 1e-5 of itself.
void scale_a_column(const Model& /*model*/, Dynamics& /*formulation*/, Workspace& ws) {
  Eigen::Index largest = 0;
  ws.vdot.cwiseAbs().maxCoeff(&largest);
  ws.vdot[largest] *= 1.0 + 1e-5;
}

/// What a poor basis does: loop constraints are kept, and the answer is wrong by 1e-5.
void lose_digits(const Model& model, Dynamics& formulation, Workspace& ws) {
  VectorX change = VectorX::Zero(model.nv());
  formulation.refine(VectorX::Ones(model.nv()), ConstraintTarget(model), change);
  const double size = change.lpNorm<Eigen::Infinity>();
  ASSERT_GT(size, 0.0);
  ws.vdot += (1e-5 * ws.vdot.lpNorm<Eigen::Infinity>() / size) * change;
}

void make_nonsense(const Model& /*model*/, Dynamics& /*formulation*/, Workspace& ws) {
  ws.vdot[0] = std::numeric_limits<double>::quiet_NaN();
}

ModelSpec verified_stewart() { return mechanisms::config("stewart_platform"); }

std::vector<Sabotage> sabotages() {
  return {drop_a_loop(verified_stewart()), scale_a_column, lose_digits, make_nonsense};
}

TEST(Verified, GivesTheSameAnswerWhereNothingIsWrong) {
  const Model model = mechanisms::compiled(verified_stewart());
  const State state(model);
  Workspace plain(model), checked(model);
  for (const std::string_view name : mechanisms::methods_for(model)) {
    const auto dynamics = std::move(make_dynamics(name, model)).value();

    ASSERT_EQ(accelerations(model, state, Loads(model), *bare(name, model), plain), StepStatus::kOk);
    ASSERT_EQ(accelerations(model, state, Loads(model), *dynamics, checked), StepStatus::kOk);

    EXPECT_EQ(plain.vdot, checked.vdot) << name << ": to the bit";
    EXPECT_EQ(dynamics->report().fallbacks, 0);
    EXPECT_EQ(dynamics->name(), name);
  }
}

TEST(Verified, AsksTheNextFormulationAfterEverySabotage) {
  const Model model = mechanisms::compiled(verified_stewart());
  const State state(model);
  Workspace expected(model), ws(model);
  ASSERT_EQ(accelerations(model, state, Loads(model), *bare("rcr", model), expected), StepStatus::kOk);
  for (std::size_t i = 0; i < sabotages().size(); ++i) {
    const auto dynamics = with_sabotage(model, sabotages()[i], When::kAlways, true);

    const StepStatus status = accelerations(model, state, Loads(model), *dynamics, ws);

    EXPECT_EQ(status, StepStatus::kOk) << i;
    EXPECT_EQ(ws.vdot, expected.vdot) << i;
    EXPECT_EQ(dynamics->report().fallbacks, 1) << i;
  }
}

TEST(Verified, FailsWhereNoAnswerStands) {
  const Model model = mechanisms::compiled(verified_stewart());
  const std::vector<Sabotage> all = {drop_a_loop(verified_stewart()), scale_a_column, make_nonsense};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto dynamics = with_sabotage(model, all[i], When::kAlways, false);
    const auto integrator = std::move(make_integrator("rk4", model)).value();
    State state(model);
    const State before = state;
    Workspace ws(model);

    const StepStatus status = integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws);

    EXPECT_EQ(status, StepStatus::kUnverified) << i;
    EXPECT_EQ(state.block(), before.block()) << i << ": the state is as it was";
    EXPECT_GE(dynamics->report().failed_loop, 0) << i;
  }
}

// Loop constraints are kept, so refinement leads to the answer of the equations themselves.
TEST(Verified, FindsLostDigitsAgainWhereNobodyElseCanBeAsked) {
  const Model model = mechanisms::compiled(verified_stewart());
  const State state(model);
  Workspace expected(model), ws(model);
  ASSERT_EQ(accelerations(model, state, Loads(model), *bare("rcr", model), expected), StepStatus::kOk);
  const auto dynamics = with_sabotage(model, lose_digits, When::kAlways, false);

  const StepStatus status = accelerations(model, state, Loads(model), *dynamics, ws);

  EXPECT_EQ(status, StepStatus::kOk);
  EXPECT_LT(relative_difference(ws.vdot, expected.vdot), 1e-12);
}

/// Finds no inertia anywhere.
class Refusing final : public Dynamics {
 public:
  std::string_view name() const noexcept override { return "refusing"; }
  StepStatus solve(const Model& /*model*/, Workspace& /*ws*/) noexcept override { return StepStatus::kSingularMass; }
};

TEST(Verified, FindsLostDigitsAgainWhereTheOthersHaveNoAnswer) {
  const Model model = mechanisms::compiled(verified_stewart());
  const State state(model);
  Workspace expected(model), ws(model);
  ASSERT_EQ(accelerations(model, state, Loads(model), *bare("rcr", model), expected), StepStatus::kOk);
  std::vector<std::unique_ptr<Dynamics>> formulations;
  formulations.push_back(std::make_unique<Sabotaged>(bare("semi_recursive_2", model), lose_digits, When::kAlways));
  formulations.push_back(std::make_unique<Refusing>());
  const auto dynamics = make_verified(model, std::move(formulations));

  const StepStatus status = accelerations(model, state, Loads(model), *dynamics, ws);

  EXPECT_EQ(status, StepStatus::kOk);
  EXPECT_LT(relative_difference(ws.vdot, expected.vdot), 1e-12);
}

// A conditioning of zero excuses nothing, and what refinement tears open is not taken.
TEST(Verified, TakesNoAnswerThatRefinementMakesWorse) {
  const Model model = mechanisms::compiled(verified_stewart());
  const State state(model);
  Workspace ws(model);
  for (const double size : {1e-5, 1e-1}) {
    const auto lose_more = [size](const Model& of, Dynamics& formulation, Workspace& where) {
      VectorX change = VectorX::Zero(of.nv());
      formulation.refine(VectorX::Ones(of.nv()), ConstraintTarget(of), change);
      where.vdot += (size * where.vdot.lpNorm<Eigen::Infinity>() / change.lpNorm<Eigen::Infinity>()) * change;
    };
    auto sabotaged = std::make_unique<Sabotaged>(bare("semi_recursive_2", model), lose_more, When::kAlways);
    sabotaged->break_refinement();
    std::vector<std::unique_ptr<Dynamics>> formulations;
    formulations.push_back(std::move(sabotaged));
    const auto dynamics = make_verified(model, std::move(formulations));

    EXPECT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kUnverified) << size;
  }
}

// Between the ends of a step the next formulation was not there when rank was decided: the step begins again with it.
TEST(Verified, BeginsTheStepAgainWhereAStageIsWrong) {
  const Model model = mechanisms::compiled(verified_stewart());
  for (const Sabotage& sabotage : {drop_a_loop(verified_stewart()), Sabotage(scale_a_column)}) {
    for (const std::string_view name : {"rk4", "heun"}) {
      const auto dynamics = with_sabotage(model, sabotage, When::kInStages, true);
      const auto integrator = std::move(make_integrator(name, model)).value();
      State state(model);
      Workspace ws(model);
      Simulation sound(model, name, "rcr");

      const StepStatus status = integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws);
      ASSERT_EQ(sound.step(1e-3), StepStatus::kOk);

      EXPECT_EQ(status, StepStatus::kOk) << name;
      EXPECT_EQ(state.block(), sound.state.block()) << name;
      EXPECT_EQ(dynamics->report().fallbacks, 1) << name;
    }
  }
}

// The first answers short of digits, and is passed over for one that is sound at the start and nonsense between the
// ends.
TEST(Verified, TakesAnotherAloneWhereItsHelperFailsLater) {
  const Model model = mechanisms::compiled(verified_stewart());
  std::vector<std::unique_ptr<Dynamics>> formulations;
  formulations.push_back(std::make_unique<Sabotaged>(bare("semi_recursive_2", model), lose_digits, When::kAlways));
  formulations.push_back(std::make_unique<Sabotaged>(bare("rcr", model), make_nonsense, When::kInStages));
  const auto dynamics = make_verified(model, std::move(formulations));
  const auto integrator = std::move(make_integrator("rk4", model)).value();
  State state(model);
  Workspace ws(model);
  Simulation sound(model, "rk4", "rcr");

  const StepStatus status = integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws);
  ASSERT_EQ(sound.step(1e-3), StepStatus::kOk);

  EXPECT_EQ(status, StepStatus::kOk);
  EXPECT_EQ(dynamics->report().fallbacks, 2) << "once at the start, once for the step";
  EXPECT_LT((state.v() - sound.state.v()).norm(), 1e-4 * sound.state.v().norm());
}

TEST(Verified, EveryStepBeginsWithTheFormulationAskedFor) {
  const Model model = mechanisms::compiled(verified_stewart());
  const auto dynamics = with_sabotage(model, scale_a_column, When::kAlways, true);
  const auto integrator = std::move(make_integrator("rk4", model)).value();
  State state(model);
  Workspace ws(model);

  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws), StepStatus::kOk);
  }

  EXPECT_EQ(dynamics->report().fallbacks, 5);
}

/// Answers, and has no factors where the step ends.
class WithoutFactors final : public Dynamics {
 public:
  explicit WithoutFactors(std::unique_ptr<Dynamics> of) : of_(std::move(of)) {}

  std::string_view name() const noexcept override { return "without factors"; }
  StepStatus solve(const Model& model, Workspace& ws) noexcept override { return of_->solve(model, ws); }
  StepStatus refactorize(const Model& /*model*/, Workspace& /*ws*/) noexcept override {
    return StepStatus::kSingularMass;
  }
  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    of_->refine(tau, gap, change);
  }
  void project(const ConstraintTarget& motion, VectorX& step) noexcept override { of_->project(motion, step); }

 private:
  std::unique_ptr<Dynamics> of_;
};

// Inertia of the open tree comes and goes by rounding where bodies have none: steps ended with their loops open.
TEST(Verified, ClosesLoopsWithTheFactorsOfTheNextWhereItsOwnAreLost) {
  const Model model = mechanisms::compiled(verified_stewart());
  std::vector<std::unique_ptr<Dynamics>> formulations;
  formulations.push_back(std::make_unique<WithoutFactors>(bare("semi_recursive_2", model)));
  formulations.push_back(bare("rcr", model));
  const auto dynamics = make_verified(model, std::move(formulations));
  const auto next = bare("rcr", model);
  const State state(model);
  Workspace ws(model), expected(model);
  ConstraintTarget motion(model);
  motion.loop[0].linear = Vec3(1e-3, 0.0, 0.0);
  VectorX step = VectorX::Zero(model.nv()), expected_step = step;
  ASSERT_EQ(accelerations(model, state, Loads(model), *next, expected), StepStatus::kOk);
  next->project(motion, expected_step);
  ASSERT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kOk);
  ASSERT_EQ(dynamics->report().fallbacks, 0);

  const StepStatus status = dynamics->refactorize(model, ws);
  dynamics->project(motion, step);

  EXPECT_EQ(status, StepStatus::kOk);
  EXPECT_EQ(step, expected_step);
  EXPECT_EQ(dynamics->report().fallbacks, 1);
}

TEST(Verified, FallingBackDoesNotAllocate) {
  const Model model = mechanisms::compiled(verified_stewart());
  for (const When when : {When::kAlways, When::kInStages}) {
    const auto dynamics = with_sabotage(model, scale_a_column, when, true);
    const auto integrator = std::move(make_integrator("rk4", model)).value();
    State state(model);
    Workspace ws(model);
    const Loads loads(model);
    ASSERT_EQ(integrator->step(model, loads, 1e-3, *dynamics, state, ws), StepStatus::kOk);

    const AllocationCount allocations;
    const StepStatus status = integrator->step(model, loads, 1e-3, *dynamics, state, ws);

    EXPECT_EQ(status, StepStatus::kOk);
    EXPECT_EQ(allocations.value(), 0);
  }
}

TEST(AnswerCheck, IsRoundingForSoundAnswersOfRandomLinkages) {
  for (int i = 0; i < 100; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 5;
    options.couplings = i % 3;
    options.tree.driven = i % 2 == 0;
    options.least_share = 1e-2;
    const Model model =
        mechanisms::compiled(mechanisms::random_linkage(static_cast<std::uint64_t>(7000 + i), 12, options));
    const State state(model);
    AnswerCheck check(model);
    Workspace ws(model);
    for (const std::string_view name : mechanisms::methods_for(model)) {
      const auto dynamics = bare(name, model);
      ASSERT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kOk) << name << ' ' << i;

      const double missed = check.constraint_error(model, ws);
      const double change = check.change(model, ws, *dynamics);

      // Constraints that stand out by 1e-2 and trees of twelve joints: eps times 1e4.
      EXPECT_LT(missed, 1e-11) << name << ' ' << i;
      EXPECT_LT(change, 1e-10) << name << ' ' << i;
    }
  }
}

/// The definition, row by row: what a row misses, against the accelerations that its constraint compares.
double missed_row_by_row(const Model& model, const Workspace& ws) {
  const double weight = 1.0 / (model.length_m() * model.length_m());
  const auto size = [&](const SpatialVector& a) {
    return std::sqrt(dot(a.angular, a.angular) + weight * dot(a.linear, a.linear));
  };
  const double still = 1e-3 * std::max(model.gravity().norm() / model.length_m(), ws.vdot.lpNorm<Eigen::Infinity>());
  double most = 0.0;
  for (std::size_t l = 0; l < model.loops().size(); ++l) {
    const LoopConstraint& constraint = ws.loop_constraint[l];
    const SpatialVector succ = shift_motion(ws.A[at(model.loops()[l].successor)], constraint.arm_succ);
    const SpatialVector pred = shift_motion(ws.A[at(model.loops()[l].predecessor)], constraint.arm_pred);
    const double scale = std::max({size(succ), size(pred), size(constraint.bias), still});
    for (int r = 0; r < constraint.rows(); ++r) {
      most = std::max(most, std::abs(dot(constraint.G(r), constraint.bias - (succ - pred))) / scale);
    }
  }
  return most;
}

TEST(AnswerCheck, MeasuresEveryRowOfEveryConstraint) {
  for (int i = 0; i < 60; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 5;
    const Model model =
        mechanisms::compiled(mechanisms::random_linkage(static_cast<std::uint64_t>(7200 + i), 12, options));
    const State state(model);
    AnswerCheck check(model);
    Workspace ws(model);
    ASSERT_EQ(accelerations(model, state, Loads(model), *bare("rcr", model), ws), StepStatus::kOk) << i;
    const VectorX sound = ws.vdot;
    for (int speed = 0; speed < model.nv(); ++speed) {
      ws.vdot = sound;
      ws.vdot[speed] += 1.0;
      update_body_accelerations(model, ws);

      const double missed = check.constraint_error(model, ws);

      EXPECT_NEAR(missed, missed_row_by_row(model, ws), 1e-11 * (1.0 + missed)) << i << ' ' << speed;
    }
  }
}

}  // namespace
}  // namespace kinloop

// Tests derivatives of steps by parameters of the mechanism against steps of mechanisms that have others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/linearize.hpp"
#include "core/analysis/model_parameters.hpp"
#include "core/analysis/state_chart.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::Contains;
using testing::HasSubstr;

constexpr double kParameterAgreement = 1e-7;  // of a column's largest entry

PlantSpec parameter_plant(const Model& model, const std::string& integrator) {
  PlantSpec spec;
  spec.levels = {{"auto", integrator, 1, {}}};
  for (int i = 0; i < std::min(2, model.nv()); ++i) {
    if (model.coordinate(i).motion >= 0) continue;
    ActuatorSpec force;
    force.name = "push" + std::to_string(i);
    force.joint = model.speed_name(i);
    spec.actuators.push_back(force);
  }
  return spec;
}

/// The largest disagreement of P with steps of compiled neighbours, column by column.
double disagreement_by_parameters(const Model& model, const PlantSpec& spec, const char* what) {
  const auto plant = made(model, spec);
  State start = plant->initial_state();
  const StepInput input = input_of(*plant, 0.3);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(is_done(plant->step(input, start))) << what;
  const auto exact = linearize(*plant, start, input, {LinearizeMethod::kExact, {}, {"*"}});
  if (!exact) {
    ADD_FAILURE() << what << ": " << exact.error().what;
    return 1.0;
  }
  EXPECT_FALSE(exact->parameters.empty()) << what;
  const StateChart chart = StateChart::make(*plant, start).value();
  double worst = 0.0;
  for (Eigen::Index p = 0; p < exact->p.size(); ++p) {
    const auto after = [&](double h) -> VectorX {
      const Model other =
          with_parameters(model, {{exact->parameters[static_cast<std::size_t>(p)], exact->p[p] + h}}).value();
      const auto moved = made(other, spec);
      State state = moved->initial_state();
      state.block() = start.block();
      state.set_history_count(0);
      EXPECT_TRUE(is_done(moved->step(input, state)));
      return chart.read(state);
    };
    const auto slope = [&](double h) -> VectorX { return (after(h) - after(-h)) / (2.0 * h); };
    const double h = 0.06 * std::abs(exact->p[p]);
    const VectorX reference = (64.0 * slope(h / 4) - 20.0 * slope(h / 2) + slope(h)) / 45.0;
    const double size = reference.lpNorm<Eigen::Infinity>();
    if (size * std::abs(exact->p[p]) < 1e-5) continue;  // what it does drowns in rounding
    const double off = (exact->P.col(p) - reference).lpNorm<Eigen::Infinity>() / size;
    EXPECT_LT(off, 1e-5) << what << " " << exact->parameters[static_cast<std::size_t>(p)];
    worst = std::max(worst, off);
  }
  return worst;
}

TEST(ParameterSlopes, RandomTreesAgreeWithSteppedNeighbours) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    mechanisms::TreeOptions options;
    options.joint_forces = options.armature = options.springs = true;
    options.driven = seed % 2 == 0;
    const Model model = compiled(mechanisms::random_tree(seed, 5, options));
    for (const char* integrator : {"rk4", "heun", "linearly_implicit"}) {
      EXPECT_LT(disagreement_by_parameters(model, parameter_plant(model, integrator), integrator), kParameterAgreement)
          << "seed " << seed << " " << integrator;
    }
  }
}

TEST(ParameterSlopes, RandomLinkagesAgreeWithSteppedNeighbours) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    mechanisms::LinkageOptions options;
    options.tree.joint_forces = options.tree.armature = true;
    options.loops = 1 + static_cast<int>(seed % 2);
    options.least_share = 1e-2;
    const Model model = compiled(mechanisms::random_linkage(seed, 5, options));
    EXPECT_LT(disagreement_by_parameters(model, parameter_plant(model, "rk4"), "linkage"), kParameterAgreement)
        << "seed " << seed;
  }
}

TEST(ParameterSlopes, TheClosingOfLoopsAfterACrudeStepFollowsMassesToo) {
  for (const char* name : {"four_bar", "five_bar", "slider_crank", "double_wishbone"}) {
    const Model model = compiled(mechanisms::config(name));
    EXPECT_LT(disagreement_by_parameters(model, parameter_plant(model, "semi_implicit_euler"), name),
              kParameterAgreement)
        << name;
  }
}

TEST(ModelParameters, AreFoundByPatternsAndRefusedByName) {
  const Model model = compiled(mechanisms::config("cart_pole"));
  const auto masses = choose_parameters(model, {"mass.*", "mass.cart"});
  ASSERT_TRUE(masses);
  EXPECT_THAT(*masses, Contains(testing::Key("mass.cart")));
  EXPECT_EQ(std::count_if(masses->begin(), masses->end(), [](const auto& one) { return one.first == "mass.cart"; }), 1);
  const auto unknown = choose_parameters(model, {"mass.card"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what, HasSubstr("mass.cart"));
  EXPECT_FALSE(with_parameters(model, {{"mass.cart", -1.0}}));
}

}  // namespace
}  // namespace kinloop

// Tests that the project's machines stand still once they are trimmed where they start, also as rigs that begin there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/analysis/trim.hpp"
#include "services/rig/rig_file.hpp"
#include "services/rig/write_rig.hpp"
#include "tests/support/model_files.hpp"

namespace kinloop {
namespace {

// In rad or m a second, of what Newton's method leaves.
constexpr double kHeldStill = 1e-6;

class RigTrim : public testing::Test {
 protected:
  void load(const std::string& name) {
    auto rig = load_rig(test::rig_path(name));
    ASSERT_TRUE(rig) << name;
    rig_.emplace(std::move(rig).value());
    plant_ = Plant::make(rig_->model.model, rig_->spec.plant).value();
  }

  Result<Trim> trimmed(const TrimSettings& settings) {
    StepInput input;
    input.count = static_cast<std::uint32_t>(plant_->actuator_count());
    for (std::size_t i = 0; i < input.count; ++i) input.command[i] = rig_->spec.plant.actuators[i].initial;
    return trim(*plant_, plant_->initial_state(), input, settings);
  }

  /// The fastest speed in so many steps.
  static double fastest(Plant& plant, State state, const StepInput& input, int steps) {
    double speed = 0.0;
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(is_done(plant.step(input, state)));
      speed = std::max(speed, state.v().lpNorm<Eigen::Infinity>());
    }
    return speed;
  }

  std::optional<LoadedRig> rig_;
  std::unique_ptr<Plant> plant_;
};

TEST_F(RigTrim, TheHexapodHoldsStillAfterIt) {
  load("stewart");
  TrimSettings settings;
  settings.holds_coordinates = true;

  const Result<Trim> found = trimmed(settings);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_reached) << found->residual;
  EXPECT_LT(fastest(*plant_, found->state, found->input, 500), kHeldStill);
}

TEST_F(RigTrim, TheExcavatorHoldsStillOnValvesThatMakeUpForLeakage) {
  load("excavator");
  TrimSettings settings;
  settings.holds_coordinates = true;

  const Result<Trim> found = trimmed(settings);

  ASSERT_TRUE(found) << found.error().what;
  ASSERT_TRUE(found->is_reached) << testing::PrintToString(found->missing);
  for (std::size_t i = 0; i < 3; ++i) {  // boom, arm, bucket: just beyond the overlap
    EXPECT_GT(std::abs(found->input.command[i]), 0.04) << i;
    EXPECT_LT(std::abs(found->input.command[i]), 0.045) << i;
  }
  EXPECT_LT(fastest(*plant_, found->state, found->input, 2000), kHeldStill);
}

TEST_F(RigTrim, TheCraneHoldsStillWithItsLoadHanging) {
  load("crane");
  TrimSettings settings;
  const State start = plant_->initial_state();
  for (const char* name : {"slew", "inner_boom", "outer_boom", "extension1", "extension2", "winch"}) {
    for (int i = 0; i < plant_->model().nv(); ++i) {
      if (plant_->model().speed_name(i) == name) {
        settings.coordinates.emplace_back(name, start.q()[plant_->model().coordinate(i).q]);
      }
    }
  }
  ASSERT_EQ(settings.coordinates.size(), 6U);

  const Result<Trim> found = trimmed(settings);

  ASSERT_TRUE(found) << found.error().what;
  ASSERT_TRUE(found->is_reached) << testing::PrintToString(found->missing);
  EXPECT_LT(fastest(*plant_, found->state, found->input, 1000), kHeldStill);
}

TEST_F(RigTrim, WhatNothingCanHoldIsNamed) {
  load("cart_pole");
  TrimSettings settings;
  settings.coordinates = {{"hinge", 0.3}};

  const Result<Trim> found = trimmed(settings);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_FALSE(found->is_reached);
  EXPECT_GT(found->residual, 0.1);
  EXPECT_THAT(found->missing, testing::Contains(testing::HasSubstr("u.hinge")));
}

TEST_F(RigTrim, ARigThatBeginsThereStandsStill) {
  load("excavator");
  TrimSettings settings;
  settings.holds_coordinates = true;
  const Result<Trim> found = trimmed(settings);
  ASSERT_TRUE(found && found->is_reached);
  RigSpec spec = rig_->spec;
  spec.plant.start.assign(found->state.block().begin(), found->state.block().end());
  for (std::size_t i = 0; i < spec.plant.actuators.size(); ++i) {
    spec.plant.actuators[i].initial = found->input.command[i];
  }

  const std::string text = write_rig(spec, rig_->spec.model.string());
  const auto again = load_rig_text(text, "held.yaml");

  ASSERT_TRUE(again) << again.error().front().what;
  const auto plant = Plant::make(again->model.model, again->spec.plant);
  ASSERT_TRUE(plant) << plant.error().what;
  const State start = (*plant)->initial_state();
  EXPECT_EQ(VectorX(start.q()), VectorX(found->state.q()));
  EXPECT_EQ(start.time_s(), 0.0);
  EXPECT_LT(fastest(**plant, start, found->input, 500), kHeldStill);
}

TEST_F(RigTrim, AStartOfAnotherRigIsRefused) {
  load("four_bar");
  PlantSpec spec = rig_->spec.plant;
  spec.start = {0.0, 1.0, 2.0};
  const auto plant = Plant::make(rig_->model.model, spec);
  ASSERT_FALSE(plant);
  EXPECT_EQ(plant.error().where, "start");
  const State start = plant_->initial_state();
  spec.start.assign(start.block().begin(), start.block().end());
  EXPECT_TRUE(Plant::make(rig_->model.model, spec));
  spec.start.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Plant::make(rig_->model.model, spec));
}

}  // namespace
}  // namespace kinloop

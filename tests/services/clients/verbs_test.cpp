// Tests that every verb reaches the wire with its fields, and gives what was answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinloop/client/plant.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/services/clients/client_fixture.hpp"

namespace kinloop::client {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr std::uint64_t kVerbsEffectStep = 4711;  // of the fake plant

class Verbs : public ClientFixture {
 protected:
  void SetUp() override {
    ClientFixture::SetUp();
    plant_.emplace(connected());
  }
  void TearDown() override {
    plant_.reset();
    ClientFixture::TearDown();
  }
  std::optional<Plant> plant_;
};

TEST_F(Verbs, OfOneWordSayThatWordAndTellTheStep) {
  using Verb = v1::ControlRequest;
  const auto check = [&](const Result<Effect>& effect, Verb::VerbCase verb) {
    ASSERT_TRUE(effect);
    EXPECT_EQ(effect->step, kVerbsEffectStep);
    EXPECT_EQ(fake().last_request().verb_case(), verb);
  };

  check(plant_->start(), Verb::kStart);
  check(plant_->pause(), Verb::kPause);
  check(plant_->resume(), Verb::kResume);
  check(plant_->reset(), Verb::kReset);
  check(plant_->emergency_stop(), Verb::kEmergencyStop);
  check(plant_->shutdown(), Verb::kShutdown);
}

TEST_F(Verbs, AnAnswerToAnEarlierStopConfirmsNoLaterOne) {
  std::atomic<int> stops{0};
  fake().answer_with([&](const v1::ControlRequest& request) -> std::optional<v1::ControlReply> {
    if (!request.has_emergency_stop()) return fake().usual_answer(request);
    if (++stops > 1) return std::nullopt;  // the second is not answered at all
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return fake().usual_answer(request);  // the first too late
  });
  Options options = patient();
  options.timeout = std::chrono::milliseconds(1000);
  Plant plant = connected(options);

  EXPECT_FALSE(plant.emergency_stop());
  EXPECT_FALSE(plant.emergency_stop());
  fake().answer_with({});
}

TEST_F(Verbs, StatusAndTimingComeBackWhole) {
  const auto status = plant_->status();
  const auto timing = plant_->timing();

  ASSERT_TRUE(status && timing);
  EXPECT_EQ(status->state(), v1::PLANT_STATE_RUNNING);
  EXPECT_EQ(timing->period_ns(), 1000000);
}

TEST_F(Verbs, StepsAreCounted) {
  ASSERT_TRUE(plant_->step_n(12));

  EXPECT_EQ(fake().last_request().step().steps(), 12U);
}

TEST_F(Verbs, ParametersAreSetAsTexts) {
  ASSERT_TRUE(plant_->set_parameters({{"rod_mass", "3 kg"}, {"length", "80 cm"}}));

  const v1::SetParametersRequest sent = fake().last_request().set_parameters();
  ASSERT_EQ(sent.values_size(), 2);
  EXPECT_EQ(sent.values(0).name(), "rod_mass");
  EXPECT_EQ(sent.values(0).value(), "3 kg");
  EXPECT_EQ(sent.values(1).name(), "length");
}

TEST_F(Verbs, ParametersAreGotByName) {
  const auto values = plant_->get_parameters({"rod_mass"});

  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(Pair("rod_mass", "2 kg")));
  EXPECT_THAT(fake().last_request().get_parameters().names(), ElementsAre("rod_mass"));
}

TEST_F(Verbs, ASnapshotGoesBackAsItCame) {
  const auto snapshot = plant_->snapshot();
  ASSERT_TRUE(snapshot);

  ASSERT_TRUE(plant_->restore(*snapshot));

  EXPECT_EQ(fake().last_request().restore().snapshot().SerializeAsString(), snapshot->SerializeAsString());
}

TEST_F(Verbs, AFaultHasSignalKindValueAndTime) {
  const auto effect = plant_->inject_fault("speed", v1::FAULT_KIND_BIAS, 0.5, Plant::Seconds(0.2));

  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->step, kVerbsEffectStep);
  EXPECT_EQ(effect->until_step, kVerbsEffectStep + 200);
  const v1::InjectFaultRequest sent = fake().last_request().inject_fault();
  EXPECT_EQ(sent.signal(), "speed");
  EXPECT_EQ(sent.kind(), v1::FAULT_KIND_BIAS);
  EXPECT_EQ(sent.value(), 0.5);
  EXPECT_EQ(sent.duration_s(), 0.2);
}

TEST_F(Verbs, FaultsAreClearedBySignal) {
  ASSERT_TRUE(plant_->clear_faults("speed"));
  EXPECT_EQ(fake().last_request().clear_faults().signal(), "speed");
  ASSERT_TRUE(plant_->clear_faults());
  EXPECT_EQ(fake().last_request().clear_faults().signal(), "");
}

TEST_F(Verbs, AnOverrideIsSetAndTakenBack) {
  ASSERT_TRUE(plant_->override_signal("speed", 2.5, Plant::Seconds(1.0)));
  EXPECT_EQ(fake().last_request().override().value(), 2.5);
  EXPECT_EQ(fake().last_request().override().duration_s(), 1.0);
  EXPECT_FALSE(fake().last_request().override().off());
  ASSERT_TRUE(plant_->end_override("speed"));
  EXPECT_TRUE(fake().last_request().override().off());
  EXPECT_EQ(fake().last_request().override().signal(), "speed");
}

TEST_F(Verbs, AForceHasThreeNumbersOfEach) {
  ASSERT_TRUE(plant_->apply_force(
      {.body = "crank", .force = {1.0, 2.0, 3.0}, .moment = {4.0, 5.0, 6.0}, .point = {7.0, 8.0, 9.0}, .time_s = 0.1}));

  const v1::ApplyForceRequest sent = fake().last_request().apply_force();
  EXPECT_EQ(sent.body(), "crank");
  EXPECT_THAT(sent.force(), ElementsAre(1.0, 2.0, 3.0));
  EXPECT_THAT(sent.moment(), ElementsAre(4.0, 5.0, 6.0));
  EXPECT_THAT(sent.point(), ElementsAre(7.0, 8.0, 9.0));
  EXPECT_EQ(sent.duration_s(), 0.1);
}

TEST_F(Verbs, ACaptureHasItsConditionAndGivesRows) {
  const auto capture = plant_->capture({.sensor = "speed",
                                        .condition = v1::CONDITION_FALLS,
                                        .level = 0.5,
                                        .steps_before = 1,
                                        .steps_after = 2,
                                        .patience_s = 5.0});

  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->trigger_step(), 5000U);
  const v1::CaptureRequest sent = fake().last_request().capture();
  EXPECT_EQ(sent.sensor(), "speed");
  EXPECT_EQ(sent.condition(), v1::CONDITION_FALLS);
  EXPECT_EQ(sent.level(), 0.5);
  EXPECT_EQ(sent.steps_before(), 1U);
  EXPECT_EQ(sent.steps_after(), 2U);
  EXPECT_EQ(sent.patience_s(), 5.0);
}

TEST_F(Verbs, RearmNamesActuators) {
  ASSERT_TRUE(plant_->rearm({"motor"}));

  EXPECT_THAT(fake().last_request().rearm().actuators(), ElementsAre("motor"));
}

TEST_F(Verbs, LinearizeAndRolloutPassTheirRequestsOn) {
  v1::LinearizeRequest around;
  around.add_commands(3.0);
  v1::RolloutRequest rollout;
  rollout.add_sequences()->add_commands(1.0);
  rollout.set_steps_per_command(4);

  const auto linearization = plant_->linearize(around);
  EXPECT_THAT(fake().last_request().linearize().commands(), ElementsAre(3.0));
  const auto result = plant_->rollout(rollout);
  EXPECT_EQ(fake().last_request().rollout().steps_per_command(), 4U);

  ASSERT_TRUE(linearization && result);
  EXPECT_THAT(linearization->a(), ElementsAre(0.5));
  EXPECT_THAT(result->results(0).outputs(), ElementsAre(1.0, 2.0));
}

TEST_F(Verbs, ALongWayIsAskedForInPartsThatGoOnFromEachOther) {
  v1::LinearizeTrajectoryRequest way;
  way.mutable_state()->add_q(0.1);
  constexpr int kCommands = 10'000;
  for (int i = 0; i < kCommands; ++i) way.add_commands(i);

  const auto whole = plant_->linearize_trajectory(way);

  ASSERT_TRUE(whole);
  const v1::LinearizeTrajectoryRequest last = fake().last_request().linearize_trajectory();
  EXPECT_FALSE(last.has_state());
  EXPECT_EQ(last.block(0), last.commands(0) - 1.0);
  EXPECT_THAT(last.independent(), ElementsAre("O1"));
  ASSERT_EQ(whole->x_size(), kCommands + 1);
  ASSERT_EQ(whole->b_size(), kCommands);
  EXPECT_EQ(whole->x(kCommands), kCommands - 1);
  EXPECT_TRUE(std::is_sorted(whole->b().begin(), whole->b().end()));
}

TEST_F(Verbs, TrimGivesStateCommandsAndASnapshot) {
  v1::TrimRequest given;
  given.set_hold(true);
  given.add_commands()->set_name("motor");

  const auto found = plant_->trim(given);

  ASSERT_TRUE(found);
  EXPECT_EQ(fake().last_request().trim().commands(0).name(), "motor");
  EXPECT_TRUE(found->reached());
  EXPECT_THAT(found->commands(), ElementsAre(2.5));
}

TEST_F(Verbs, RecordsBeginAndEnd) {
  ASSERT_TRUE(plant_->start_record("swing"));
  EXPECT_EQ(fake().last_request().record().name(), "swing");
  EXPECT_FALSE(fake().last_request().record().stop());
  const auto stopped = plant_->stop_record();
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(fake().last_request().record().stop());
  EXPECT_EQ(stopped->steps(), 1000);
}

TEST_F(Verbs, NotesAndCancelsCarryTheirContent) {
  ASSERT_TRUE(plant_->note("valve changed"));
  EXPECT_EQ(fake().last_request().note().text(), "valve changed");
  ASSERT_TRUE(plant_->cancel(17));
  EXPECT_EQ(fake().last_request().cancel().request_id(), 17U);
}

}  // namespace
}  // namespace kinloop::client

// Tests leases and frames: what is sent, what is received, what is passed over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kinloop/client/plant.hpp>

#include "services/clients/cpp/src/decode.hpp"
#include "tests/services/clients/client_fixture.hpp"
#include "tests/support/allocation_count.hpp"

namespace kinloop::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAll = "sensors/1/";

v1::ActuatorReply refusal(const v1::ActuatorFrame& frame, v1::ErrorCode code) {
  v1::ActuatorReply reply;
  reply.set_sequence(frame.sequence());
  reply.mutable_error()->set_code(code);
  reply.mutable_error()->set_message("not so");
  return reply;
}

v1::ActuatorReply stepped(const v1::ActuatorFrame& frame) {
  v1::ActuatorReply reply;
  reply.set_sequence(frame.sequence());
  *reply.mutable_frame() = FakePlant::frame(frame.sequence(), frame.value(0));
  return reply;
}

class Frames : public ClientFixture {
 protected:
  /// With a subscription that has reached the plant.
  Plant listening() {
    Plant plant = connected();
    EXPECT_EQ(plant.recv(1ms), nullptr);
    EXPECT_TRUE(comes_true([&] { return fake().has_subscriber(kAll); }));
    return plant;
  }
  Plant commanding(Options options) {
    Plant plant = connected(std::move(options));
    EXPECT_TRUE(plant.acquire({"motor"}));
    return plant;
  }
};

TEST_F(Frames, AcquireNamesActuatorsTimeAndHolder) {
  Plant plant = connected();

  const Result<Lease> lease = plant.acquire({"motor"}, Plant::Seconds(0.25));

  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->id, 99U);
  EXPECT_THAT(lease->actuators, ElementsAre("motor"));
  const v1::AcquireRequest sent = fake().last_request().acquire();
  EXPECT_THAT(sent.actuators(), ElementsAre("motor"));
  EXPECT_EQ(sent.time_s(), 0.25);
  EXPECT_EQ(sent.holder(), "test");
  EXPECT_EQ(sent.lease(), 0U);
}

TEST_F(Frames, RenewAndReleaseNameTheLease) {
  Plant plant = commanding(patient());

  ASSERT_TRUE(plant.renew());
  EXPECT_EQ(fake().last_request().acquire().lease(), 99U);
  ASSERT_TRUE(plant.release());
  EXPECT_EQ(fake().last_request().release().lease(), 99U);
  EXPECT_EQ(plant.lease().id, 0U);
}

TEST_F(Frames, FramesCarryHashLeaseNumberAndValues) {
  Plant plant = commanding(patient());

  const auto first = plant.send({1.5});
  const auto second = plant.send({-2.5}, 1);

  ASSERT_TRUE(first && second);
  ASSERT_TRUE(comes_true([&] { return fake().frames().size() == 2; }));
  const auto frames = fake().frames();
  EXPECT_EQ(frames[0].schema_hash(), FakePlant::description().schema_hash());
  EXPECT_EQ(frames[0].lease(), 99U);
  EXPECT_EQ(frames[0].sequence(), *first);
  EXPECT_GT(frames[1].sequence(), frames[0].sequence());
  EXPECT_GE(frames[1].sent_ns(), frames[0].sent_ns());
  EXPECT_THAT(frames[0].value(), ElementsAre(1.5));
  EXPECT_THAT(frames[1].value(), ElementsAre(-2.5));
  EXPECT_EQ(frames[0].rearm(), 0U);
  EXPECT_EQ(frames[1].rearm(), 1U);
}

TEST_F(Frames, SendingWithoutALeaseIsMisuse) {
  Plant plant = connected();

  const auto sent = plant.send({1.0});

  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::kUsage);
}

TEST_F(Frames, AnotherCountOfValuesIsMisuse) {
  Plant plant = commanding(patient());

  const auto sent = plant.send({1.0, 2.0});

  ASSERT_FALSE(sent);
  EXPECT_THAT(sent.error().message, HasSubstr("1 actuators, but 2 values"));
}

TEST_F(Frames, ARefusalIsToldWithALaterFrame) {
  Plant plant = commanding(patient());
  fake().answer_frames_with([](const v1::ActuatorFrame& frame) { return refusal(frame, v1::ERROR_CODE_SCHEMA); });
  Result<std::uint64_t> sent = plant.send({1.0});
  ASSERT_TRUE(sent);

  ASSERT_TRUE(comes_true([&] { return !(sent = plant.send({1.0})); }));

  EXPECT_EQ(sent.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(sent.error().code, v1::ERROR_CODE_SCHEMA);
  EXPECT_THAT(sent.error().message, HasSubstr("was refused: not so"));
  EXPECT_GE(plant.counters().frames_refused, 1U);
}

TEST_F(Frames, ALostLeaseIsToldByDefault) {
  Plant plant = commanding(patient());
  fake().answer_frames_with([](const v1::ActuatorFrame& frame) { return refusal(frame, v1::ERROR_CODE_NO_LEASE); });
  Result<std::uint64_t> sent = plant.send({1.0});

  ASSERT_TRUE(comes_true([&] { return !(sent = plant.send({1.0})); }));

  EXPECT_EQ(sent.error().code, v1::ERROR_CODE_NO_LEASE);
  EXPECT_EQ(plant.counters().leases_lost, 0U);
}

TEST_F(Frames, ALostLeaseIsAcquiredAgainWhereThatIsWanted) {
  Options options = patient();
  options.when_lease_is_lost = LostLease::kAcquireAgain;
  Plant plant = commanding(options);
  fake().answer_with([&](const v1::ControlRequest& request) {
    v1::ControlReply reply = fake().usual_answer(request);
    if (request.has_acquire()) reply.mutable_acquired()->set_lease(100);
    return reply;
  });
  fake().answer_frames_with([](const v1::ActuatorFrame& frame) -> std::optional<v1::ActuatorReply> {
    if (frame.lease() == 100) return std::nullopt;
    return refusal(frame, v1::ERROR_CODE_NO_LEASE);
  });

  ASSERT_TRUE(comes_true([&] { return plant.send({1.0}).has_value() && plant.lease().id == 100; }));

  EXPECT_EQ(plant.counters().leases_lost, 1U);
  EXPECT_THAT(fake().last_request().acquire().actuators(), ElementsAre("motor"));
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(plant.send({1.0}));  // late refusals of the old lease change nothing
  EXPECT_EQ(plant.counters().leases_lost, 1U);
}

TEST_F(Frames, NothingIsSentLateWhenThePlantComesBack) {
  Plant plant = commanding(patient());
  fake().stop();
  ASSERT_TRUE(comes_true([&] { return !plant.send({1.0}); }));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(plant.send({2.0}));
  fake().start();

  ASSERT_TRUE(comes_true([&] { return plant.send({3.0}).has_value() && !fake().frames().empty(); }));

  for (const v1::ActuatorFrame& frame : fake().frames()) EXPECT_EQ(frame.value(0), 3.0);
  EXPECT_GE(plant.counters().frames_unsent, 11U);
}

TEST_F(Frames, AStepAnswersWithTheFrameThatItReleased) {
  Plant plant = commanding(patient());
  fake().answer_frames_with([](const v1::ActuatorFrame& frame) { return stepped(frame); });

  for (const double command : {0.5, -0.25, 8.0}) {
    const auto frame = plant.step({command});

    ASSERT_TRUE(frame);
    EXPECT_EQ((*frame)->value(0), command);
  }
}

TEST_F(Frames, AStepWithoutAnAnswerEndsInTime) {
  Options options = patient();
  Plant plant = commanding(options);
  Plant hasty = connected(brief());
  ASSERT_TRUE(hasty.acquire());

  const auto frame = hasty.step({1.0});

  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::kNoAnswer);
  EXPECT_THAT(frame.error().message, HasSubstr("lockstep"));
}

TEST_F(Frames, AStepWaitsForAnIoThatIsStartedAnew) {
  Plant plant = commanding(patient());
  fake().answer_frames_with([](const v1::ActuatorFrame& frame) { return stepped(frame); });
  fake().stop();
  ASSERT_TRUE(comes_true([&] { return !plant.send({1.0}); }));
  std::thread soon([&] {
    std::this_thread::sleep_for(300ms);  // so that the step finds nobody
    fake().start();
  });

  const auto frame = plant.step({0.5});

  soon.join();
  ASSERT_TRUE(frame) << frame.error().message;
  EXPECT_EQ((*frame)->value(0), 0.5);
}

TEST_F(Frames, AStepTakesALostLeaseBackOnce) {
  Options options = patient();
  options.when_lease_is_lost = LostLease::kAcquireAgain;
  Plant plant = commanding(options);
  int refused = 0;
  fake().answer_frames_with([&](const v1::ActuatorFrame& frame) {
    return refused++ == 0 ? refusal(frame, v1::ERROR_CODE_NO_LEASE) : stepped(frame);
  });

  EXPECT_TRUE(plant.step({1.0}));
  fake().answer_frames_with([](const v1::ActuatorFrame& frame) { return refusal(frame, v1::ERROR_CODE_NO_LEASE); });
  const auto again = plant.step({1.0});

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, v1::ERROR_CODE_NO_LEASE);
}

TEST_F(Frames, TheNewestFramePassesOverOlderOnes) {
  Plant plant = listening();
  for (std::uint64_t i = 1; i <= 5; ++i) fake().publish(kAll, FakePlant::frame(i));

  const v1::SensorFrame* frame = nullptr;
  ASSERT_TRUE(comes_true([&] {
    const v1::SensorFrame* newer = plant.recv(1ms, Which::kNewest);
    frame = newer != nullptr ? newer : frame;
    return frame != nullptr && frame->sequence() == 5;
  }));

  EXPECT_EQ(plant.counters().frames_received, 5U);
  EXPECT_EQ(plant.counters().frames_lost, 0U);
}

TEST_F(Frames, NextGivesEachFrameInItsTurn) {
  Plant plant = listening();
  for (std::uint64_t i = 1; i <= 5; ++i) fake().publish(kAll, FakePlant::frame(i));

  for (std::uint64_t i = 1; i <= 5; ++i) {
    const v1::SensorFrame* frame = plant.recv(20s, Which::kNext);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->sequence(), i);
  }
}

TEST_F(Frames, GapsAreCounted) {
  Plant plant = listening();
  for (const std::uint64_t i : {1U, 2U, 6U}) fake().publish(kAll, FakePlant::frame(i));

  for (int i = 0; i < 3; ++i) ASSERT_NE(plant.recv(20s, Which::kNext), nullptr);

  EXPECT_EQ(plant.counters().frames_lost, 3U);
}

TEST_F(Frames, WhatIsNoFrameOfThisPlantIsCountedAndPassedOver) {
  Plant plant = listening();
  v1::SensorFrame foreign = FakePlant::frame(1);
  foreign.set_schema_hash(5);
  v1::SensorFrame short_of_values = FakePlant::frame(2);
  short_of_values.mutable_value()->RemoveLast();
  fake().publish_bytes(kAll, "no message at all");
  fake().publish(kAll, foreign);
  fake().publish(kAll, short_of_values);
  fake().publish(kAll, FakePlant::frame(3));

  const v1::SensorFrame* frame = plant.recv(20s, Which::kNext);

  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->sequence(), 3U);
  EXPECT_EQ(plant.counters().bad_messages, 2U);
  EXPECT_EQ(plant.counters().foreign_frames, 1U);
}

TEST_F(Frames, WithoutAFrameRecvEndsInTime) {
  Plant plant = listening();

  EXPECT_EQ(plant.recv(5ms), nullptr);
}

TEST_F(Frames, ASubscriptionChangesTheTopic) {
  Plant plant = listening();

  const Result<double> rate_hz = plant.subscribe(150.0);

  ASSERT_TRUE(rate_hz);
  EXPECT_EQ(*rate_hz, 100.0);
  EXPECT_EQ(fake().last_request().subscribe().rate_hz(), 150.0);
  ASSERT_TRUE(comes_true([&] { return fake().has_subscriber("sensors/10/"); }));
  fake().publish(kAll, FakePlant::frame(9));
  fake().publish("sensors/10/", FakePlant::frame(10));
  const v1::SensorFrame* frame = plant.recv(20s, Which::kNext);
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->sequence(), 10U);
}

TEST_F(Frames, EventsOfEveryKindAreHeard) {
  Plant plant = connected();
  EXPECT_FALSE(plant.recv_event(1ms));
  ASSERT_TRUE(comes_true([&] { return fake().has_subscriber("events:"); }));
  v1::Event event;
  event.set_kind("overrun");
  v1::Status status;
  status.set_step(7);
  v1::Timing timing;
  timing.set_steps(8);
  fake().tell("event", event);
  fake().tell("gossip", event);
  fake().tell("status", status);
  fake().tell("timing", timing);

  const auto first = plant.recv_event(20s);
  const auto second = plant.recv_event(20s);
  const auto third = plant.recv_event(20s);

  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(std::get<v1::Event>(*first).kind(), "overrun");
  EXPECT_EQ(std::get<v1::Status>(*second).step(), 7U);
  EXPECT_EQ(std::get<v1::Timing>(*third).steps(), 8U);
  EXPECT_EQ(plant.counters().bad_messages, 1U);
}

TEST_F(Frames, ReceivingDoesNotAllocate) {
  Plant plant = listening();
  for (std::uint64_t i = 1; i <= 20; ++i) fake().publish(kAll, FakePlant::frame(i));
  for (int i = 0; i < 10; ++i) ASSERT_NE(plant.recv(20s, Which::kNext), nullptr);

  const AllocationCount allocations;
  for (int i = 0; i < 10; ++i) ASSERT_NE(plant.recv(20s, Which::kNext), nullptr);

  EXPECT_EQ(allocations.value(), 0);
}

TEST(Decoding, AnAnswerWithAFrameDoesNotAllocate) {
  const FrameShape shape{FakePlant::description().schema_hash(), 2};
  v1::ActuatorReply reply;
  reply.set_sequence(3);
  *reply.mutable_frame() = FakePlant::frame(3, 0.5);
  const std::string bytes = reply.SerializeAsString();
  client::FrameAnswer answer;
  ASSERT_TRUE(decode_answer(bytes, shape, answer));

  const AllocationCount allocations;
  const bool is_good = decode_answer(bytes, shape, answer);

  EXPECT_TRUE(is_good);
  EXPECT_EQ(answer.frame.value(0), 0.5);
  EXPECT_EQ(allocations.value(), 0);
}

TEST(Decoding, AnAnswerIsReadAsProtobufReadsIt) {
  const FrameShape shape{FakePlant::description().schema_hash(), 2};
  v1::ActuatorReply with_frame;
  with_frame.set_sequence(12);
  *with_frame.mutable_frame() = FakePlant::frame(4, 1.0, 2.0);
  v1::ActuatorReply with_error;
  with_error.set_sequence(13);
  with_error.mutable_error()->set_message("no");
  client::FrameAnswer answer;

  ASSERT_TRUE(decode_answer(with_frame.SerializeAsString(), shape, answer));
  EXPECT_EQ(answer.sequence, 12U);
  EXPECT_TRUE(answer.has_frame && !answer.has_error);
  EXPECT_EQ(answer.frame.SerializeAsString(), with_frame.frame().SerializeAsString());
  ASSERT_TRUE(decode_answer(with_error.SerializeAsString(), shape, answer));
  EXPECT_EQ(answer.sequence, 13U);
  EXPECT_TRUE(!answer.has_frame && answer.has_error);
  EXPECT_EQ(answer.error.message(), "no");
}

TEST(Decoding, EveryCutOfAnAnswerIsRefused) {
  const FrameShape shape{FakePlant::description().schema_hash(), 2};
  v1::ActuatorReply reply;
  reply.set_sequence(12);
  *reply.mutable_frame() = FakePlant::frame(4, 1.0, 2.0);
  const std::string bytes = reply.SerializeAsString();
  client::FrameAnswer answer;

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_answer(std::string_view(bytes).substr(0, size), shape, answer)) << size;
  }
}

}  // namespace
}  // namespace kinloop::client

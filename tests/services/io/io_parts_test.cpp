// Tests the small parts of io: captures, leases, jobs, requests to the plant.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "services/io/capture.hpp"
#include "services/io/job_thread.hpp"
#include "services/io/lease_table.hpp"
#include "services/io/live_parameters.hpp"
#include "services/io/lockstep_answers.hpp"
#include "services/io/plant_channel.hpp"
#include "services/io/task_queue.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::io {
namespace {

constexpr std::int64_t kIoPartsSecond = 1'000'000'000;

rt::SensorFrame flagged_frame(std::uint64_t step, double value, std::uint32_t flags = 0) {
  rt::SensorFrame frame;
  frame.step = step;
  frame.count = 1;
  frame.value[0] = value;
  frame.flags = flags;
  return frame;
}

TEST(Capture, HasTheStepsAroundTheFirstThatMeetsTheCondition) {
  Capture capture;
  v1::CaptureRequest request;
  request.set_condition(v1::CONDITION_RISES);
  request.set_level(10.0);
  request.set_steps_before(3);
  request.set_steps_after(2);
  std::optional<v1::CaptureReply> reply;
  const auto done = [&](const v1::CaptureReply* r) { reply = *r; };
  for (std::uint64_t i = 1; i <= 8; ++i) capture.take(flagged_frame(i, static_cast<double>(i)));
  ASSERT_TRUE(capture.begin(1, "a", request, 0, kIoPartsSecond, done));

  for (std::uint64_t i = 9; i <= 11; ++i) capture.take(flagged_frame(i, static_cast<double>(i)));
  EXPECT_FALSE(reply);
  capture.take(flagged_frame(12, 12.0));

  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->trigger_step(), 10U);
  EXPECT_EQ(std::vector<std::uint64_t>(reply->steps().begin(), reply->steps().end()),
            (std::vector<std::uint64_t>{7, 8, 9, 10, 11, 12}));
}

TEST(Capture, SeesFlagsAndGivesUpInTime) {
  Capture capture;
  v1::CaptureRequest request;
  request.set_condition(v1::CONDITION_FLAGGED);
  int met = 0;
  int given_up = 0;
  const auto done = [&](const v1::CaptureReply* r) { r != nullptr ? ++met : ++given_up; };
  capture.take(flagged_frame(1, 0.0));
  capture.begin(1, "a", request, 0, kIoPartsSecond, done);
  capture.take(flagged_frame(2, 0.0, rt::frame_flag::kStale));
  EXPECT_EQ(met, 1);

  capture.begin(2, "a", request, 0, kIoPartsSecond, done);
  capture.expire(2 * kIoPartsSecond);
  capture.begin(3, "a", request, 0, kIoPartsSecond, done);
  EXPECT_TRUE(capture.cancel(3));
  EXPECT_FALSE(capture.cancel(3));

  EXPECT_EQ(given_up, 2) << "who waits is told, by whatever end";
}

TEST(PlantChannel, AnswersFindTheirRequestsAndSilenceIsNoticed) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  PlantChannel channel(*memory);
  std::vector<std::string> log;
  rt::Request pause;
  channel.ask(pause, 0, [&](const rt::Reply* r) { log.push_back(r != nullptr ? std::to_string(r->step) : "silence"); });
  channel.ask(pause, 0, [&](const rt::Reply* r) { log.push_back(r != nullptr ? std::to_string(r->step) : "silence"); });
  rt::Request seen;
  ASSERT_TRUE(memory->requests.pop(seen));
  memory->replies.push({seen.id, rt::ReplyStatus::kDone, 0, 7});

  channel.poll(1);
  EXPECT_EQ(log, (std::vector<std::string>{"7"}));
  channel.poll(10 * kIoPartsSecond);

  EXPECT_EQ(log, (std::vector<std::string>{"7", "silence"}));
  EXPECT_FALSE(channel.is_waiting());
}

TEST(PlantChannel, AskersOfStatesTakeTurnsAtTheBuffer) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  PlantChannel channel(*memory);
  rt::Request snapshot;
  snapshot.kind = rt::RequestKind::kSnapshot;
  channel.ask(snapshot, 0, [](const rt::Reply*) {});
  channel.ask(snapshot, 0, [](const rt::Reply*) {});
  rt::Request seen;
  ASSERT_TRUE(memory->requests.pop(seen));
  EXPECT_FALSE(memory->requests.pop(seen)) << "the second waits for the first's answer";

  memory->replies.push({seen.id, rt::ReplyStatus::kDone, 0, 1});
  channel.poll(1);

  EXPECT_TRUE(memory->requests.pop(seen));
}

TEST(PlantChannel, APlantThatBringsItsStateTakesItsTurnAtTheBuffer) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  PlantChannel channel(*memory);
  rt::Request snapshot;
  snapshot.kind = rt::RequestKind::kSnapshot;
  std::vector<std::string> log;
  const auto note = [&](const std::string& what) { return [&log, what] { log.push_back(what); }; };
  channel.ask(snapshot, 0, [&](const rt::Reply*) { log.push_back("left"); });
  ASSERT_TRUE(channel.build("mass\t1 kg\n", 5, 0, [&](const rt::Reply*, const std::string&) { log.push_back("built"); },
                            {7, 0, note("filled")}));
  channel.ask(snapshot, 0, [&](const rt::Reply*) { log.push_back("left later"); });
  rt::Request seen;
  rt::BuildRequest build;
  ASSERT_TRUE(memory->requests.pop(seen));
  EXPECT_FALSE(memory->builds.pop(build));

  memory->replies.push({seen.id, rt::ReplyStatus::kDone, 0, 1});
  channel.poll(1);
  ASSERT_TRUE(memory->builds.pop(build));
  EXPECT_EQ(build.state, 7U);
  EXPECT_FALSE(memory->requests.pop(seen)) << "the buffer is the build's";
  memory->replies.push({build.id, rt::ReplyStatus::kDone, 0, 1});
  channel.poll(2);

  EXPECT_TRUE(memory->requests.pop(seen));
  EXPECT_EQ(log, (std::vector<std::string>{"left", "filled", "built"}));
}

TEST(PlantChannel, AnEmergencyStopGoesBeforeAllThatWaitsAndMuchThatWaitsIsNoticed) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  PlantChannel channel(*memory);
  rt::Request request;
  request.kind = rt::RequestKind::kChange;
  for (std::size_t i = 0; i < PlantChannel::kMaxWaiting + 64; ++i) channel.ask(request, 0, [](const rt::Reply*) {});
  EXPECT_TRUE(channel.is_full());
  request.kind = rt::RequestKind::kMakeSafe;

  channel.ask(request, 0, [](const rt::Reply*) {});

  rt::Request taken;
  for (int i = 0; i < 64; ++i) {
    ASSERT_TRUE(memory->requests.pop(taken));
    memory->replies.push({taken.id, rt::ReplyStatus::kDone, 0, 1});
  }
  EXPECT_FALSE(memory->requests.pop(taken)) << "no more than there is room for replies";
  channel.poll(0);
  ASSERT_TRUE(memory->requests.pop(taken));
  EXPECT_EQ(taken.kind, rt::RequestKind::kMakeSafe);
}

TEST(PlantChannel, AStopIsAnsweredOnceItsReceiptIsThereAndNamesItsTick) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  PlantChannel channel(*memory);
  rt::Request stop;
  stop.kind = rt::RequestKind::kMakeSafe;
  int confirmed = 0;
  int silent = 0;
  const auto ask = [&](std::int64_t now_ns) {
    channel.ask(stop, now_ns, [&](const rt::Reply* reply) { ++(reply != nullptr ? confirmed : silent); });
    rt::Request taken;
    ASSERT_TRUE(memory->requests.pop(taken));
    memory->replies.push({taken.id, rt::ReplyStatus::kDone, 0, 7});
  };
  rt::StopReceipt& receipt = memory->stop_receipts[static_cast<std::size_t>(rt::StopWriter::kIo)];

  ask(0);
  channel.poll(1);
  EXPECT_EQ(confirmed, 0) << "the plant is about to write it";
  EXPECT_TRUE(channel.is_waiting());
  receipt.tick = 42;
  receipt.count = 1;
  channel.poll(2);
  EXPECT_EQ(confirmed, 1);
  EXPECT_EQ(channel.stop_tick(), 42U);

  ask(3);  // of this one there never is a receipt
  channel.poll(4);
  EXPECT_EQ(silent, 0);
  channel.poll(std::int64_t{60} * 1'000'000'000);
  EXPECT_EQ(silent, 1);
  EXPECT_EQ(confirmed, 1);
}

TEST(PlantChannel, AFloodOfStopsIsInForceAndTakesBoundedRoom) {
  constexpr int kStops = 10'000;
  const auto memory = std::make_unique<rt::PrivateMemory>();
  PlantChannel channel(*memory);
  rt::Request stop;
  stop.kind = rt::RequestKind::kMakeSafe;
  int not_confirmed = 0;

  for (int i = 0; i < kStops; ++i) channel.ask(stop, 0, [&](const rt::Reply* r) { not_confirmed += r == nullptr; });

  EXPECT_EQ(memory->stops[static_cast<std::size_t>(rt::StopWriter::kIo)].count.load(), std::uint64_t{kStops})
      << "each is in the word that the plant reads";
  EXPECT_GE(not_confirmed, kStops - 200) << "a plant that takes none is not flooded with them";
}

TEST(PlantChannel, WhatFoundNoRoomIsAskedAgain) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  PlantChannel channel(*memory);
  int answers = 0;
  channel.ask({}, 0, [&](const rt::Reply* r) { answers += r != nullptr ? 1 : 0; });
  rt::Request seen;
  ASSERT_TRUE(memory->requests.pop(seen));
  memory->replies.push({seen.id, rt::ReplyStatus::kFull, 0, 1});
  channel.poll(1);

  ASSERT_TRUE(memory->requests.pop(seen));
  memory->replies.push({seen.id, rt::ReplyStatus::kDone, 0, 1});
  channel.poll(2);

  EXPECT_EQ(answers, 1);
}

TEST(LeaseTable, TheNameOfAHolderIsCutBetweenCharacters) {
  LeaseTable table(1);
  std::string name = "a";
  for (int i = 0; i < 100; ++i) name += "\xc3\xa9";  // two bytes each
  const std::array<std::size_t, 1> actuator = {0};

  const auto lease = table.acquire(actuator, name, 1.0, 0);

  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->holder, name.substr(0, 63));
}

TEST(LockstepAnswers, EveryReleaseFindsItsSenderOnce) {
  LockstepAnswers answers;
  for (std::uint64_t i = 1; i <= 5; ++i) answers.expect(i, 10 * i, "s" + std::to_string(i), false);

  EXPECT_EQ(answers.take(0), nullptr);
  ASSERT_NE(answers.take(2), nullptr) << "1 was lost";
  EXPECT_EQ(answers.take(2), nullptr);
  EXPECT_EQ(answers.take(3)->sender, "s3");
  EXPECT_TRUE(answers.is_waiting());
}

TEST(LiveParameters, LinesComeBackAsTheyWereAndGarbageEnds) {
  const ParameterList list = {{"length", "80 cm"}, {"mass", "2 * rod"}};

  const ParameterList back = from_lines(to_lines(list));

  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[1].name, "mass");
  EXPECT_EQ(back[1].value, "2 * rod");
  EXPECT_TRUE(from_lines("no tab\n\n\n").empty());
}

TEST(JobThread, JobsRunInOrderAndSeeThatTheyAreCancelled) {
  JobThread jobs("jobs");
  std::atomic<int> state{0};
  jobs.add(1, "a", [&](const JobControl& control) {
    while (!control.cancelled) std::this_thread::yield();
    state = 1;
  });
  jobs.add(2, "b", [&](const JobControl&) { state = state == 1 ? 2 : -1; });

  EXPECT_TRUE(jobs.cancel(1));
  while (state < 2 && state >= 0) std::this_thread::yield();

  EXPECT_EQ(state, 2);
  EXPECT_FALSE(jobs.cancel(7));
}

}  // namespace
}  // namespace kinloop::io

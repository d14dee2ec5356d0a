// Tests the connection to a plant: what reaches the wire, what comes back, and what happens when nothing does.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <kinloop/client/plant.hpp>

#include "tests/services/clients/client_fixture.hpp"

namespace kinloop::client {
namespace {

using namespace std::chrono_literals;
using google::protobuf::util::MessageDifferencer;
using testing::ElementsAre;
using testing::HasSubstr;

class PlantTest : public ClientFixture {
 protected:
  /// Of one verb: on a busy host the description may be asked for more than once.
  std::vector<v1::ControlRequest> requests_of(v1::ControlRequest::VerbCase verb) {
    std::vector<v1::ControlRequest> requests;
    for (const v1::ControlRequest& request : fake().requests()) {
      if (request.verb_case() == verb) requests.push_back(request);
    }
    return requests;
  }
};

TEST_F(PlantTest, KnowsWhatThePlantIsOnceConnected) {
  const Plant plant = connected();

  EXPECT_EQ(plant.description().rig(), "four_bar");
  EXPECT_EQ(plant.find_sensor("speed"), 1);
  EXPECT_EQ(plant.find_actuator("motor"), 0);
  EXPECT_EQ(plant.find_sensor("motor"), std::nullopt);
}

TEST_F(PlantTest, IsFoundByItsRigsName) {
  Options options = patient();
  options.runtime_folder = folder_;

  for (const std::string& name : {std::string(), std::string("four_bar"), "four_bar-" + std::to_string(getpid())}) {
    EXPECT_TRUE(Plant::connect(name, options)) << name;
  }
}

TEST_F(PlantTest, RequestsTellVersionClientAndGrowingNumbers) {
  Plant plant = connected();

  ASSERT_TRUE(plant.pause());
  ASSERT_TRUE(plant.resume());

  const auto requests = fake().requests();
  ASSERT_EQ(requests.size(), 3U);
  for (const v1::ControlRequest& request : requests) {
    EXPECT_EQ(request.version(), 1U);
    EXPECT_EQ(request.client(), requests[0].client());
    EXPECT_NE(request.client(), 0U);
  }
  EXPECT_LT(requests[0].request_id(), requests[1].request_id());
  EXPECT_LT(requests[1].request_id(), requests[2].request_id());
}

TEST_F(PlantTest, TwoClientsCallThemselvesDifferently) {
  const Plant first = connected();
  const Plant second = connected();

  const auto requests = fake().requests();
  EXPECT_NE(requests[0].client(), requests[1].client());
}

TEST_F(PlantTest, AskingAgainReusesTheNumber) {
  Options options = patient();
  options.ask_again_after = 20ms;
  Plant plant = connected(options);
  int heard = 0;
  fake().answer_with([&](const v1::ControlRequest& request) -> std::optional<v1::ControlReply> {
    if (request.has_step() && ++heard < 3) return std::nullopt;
    return fake().usual_answer(request);
  });

  const Result<Effect> effect = plant.step_n(5);

  ASSERT_TRUE(effect);
  const auto steps = requests_of(v1::ControlRequest::kStep);
  ASSERT_GE(steps.size(), 3U);
  for (const v1::ControlRequest& step : steps) EXPECT_TRUE(MessageDifferencer::Equals(step, steps.front()));
}

TEST_F(PlantTest, AnAnswerToAnotherRequestIsNotTaken) {
  Plant plant = connected();
  fake().answer_with([&](const v1::ControlRequest& request) {
    v1::ControlReply reply = fake().usual_answer(request);
    reply.set_request_id(request.request_id() - 1);
    return reply;
  });

  const auto reply = plant.request(status_request(), 100ms);

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::kNoAnswer);
}

TEST_F(PlantTest, SilenceEndsInATypedError) {
  fake().answer_with([](const v1::ControlRequest&) { return std::nullopt; });

  const Result<Plant> plant = Plant::connect(fake().control_address(), brief());

  ASSERT_FALSE(plant);
  EXPECT_EQ(plant.error().kind, ErrorKind::kNoAnswer);
  EXPECT_THAT(plant.error().message, HasSubstr("does not answer"));
}

TEST_F(PlantTest, ARefusalCarriesItsCodeAndField) {
  Plant plant = connected();
  fake().answer_with([](const v1::ControlRequest& request) {
    v1::ControlReply reply;
    reply.set_request_id(request.request_id());
    reply.mutable_error()->set_code(v1::ERROR_CODE_NOT_NOW);
    reply.mutable_error()->set_message("pause first");
    reply.mutable_error()->set_field("steps");
    return reply;
  });

  const Result<Effect> effect = plant.step_n(1);

  ASSERT_FALSE(effect);
  EXPECT_EQ(effect.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(effect.error().code, v1::ERROR_CODE_NOT_NOW);
  EXPECT_EQ(effect.error().message, "pause first");
  EXPECT_EQ(effect.error().field, "steps");
}

TEST_F(PlantTest, AnotherKindOfAnswerIsABadReply) {
  Plant plant = connected();
  fake().answer_with([](const v1::ControlRequest& request) {
    v1::ControlReply reply;
    reply.set_request_id(request.request_id());
    reply.mutable_timing();
    return reply;
  });

  const Result<v1::Status> status = plant.status();

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kBadReply);
}

TEST_F(PlantTest, GivingUpCancelsTheRequest) {
  bool gives_up = false;
  Options options = patient();
  options.gives_up = [&] { return gives_up; };
  Plant plant = connected(options);
  fake().answer_with([&](const v1::ControlRequest& request) -> std::optional<v1::ControlReply> {
    if (request.has_capture()) return std::nullopt;
    return fake().usual_answer(request);
  });
  gives_up = true;

  const Result<v1::CaptureReply> capture = plant.capture({.sensor = "speed"});

  ASSERT_FALSE(capture);
  EXPECT_EQ(capture.error().kind, ErrorKind::kCancelled);
  const auto requests = fake().requests();
  ASSERT_TRUE(requests.back().has_cancel());
  EXPECT_EQ(requests.back().cancel().request_id(), requests[requests.size() - 2].request_id());
}

TEST_F(PlantTest, JobsAreAskedForOnce) {
  Options options = patient();
  options.ask_again_after = 5ms;
  options.job_timeout = 200ms;
  Plant plant = connected(options);
  fake().answer_with([](const v1::ControlRequest&) { return std::nullopt; });

  EXPECT_FALSE(plant.linearize());

  EXPECT_TRUE(comes_true([&] { return !requests_of(v1::ControlRequest::kLinearize).empty(); }));
  EXPECT_EQ(requests_of(v1::ControlRequest::kLinearize).size(), 1U);
}

TEST_F(PlantTest, ComesBackToAPlantWhoseIoWasStartedAnew) {
  Options options = patient();
  options.ask_again_after = 100ms;  // what was sent to the dying one is lost
  Plant plant = connected(options);
  fake().stop();
  EXPECT_FALSE(plant.request(status_request(), 50ms));
  fake().start();

  EXPECT_TRUE(plant.status());
}

TEST_F(PlantTest, UnreadableRepliesArePassedOver) {
  Plant plant = connected();
  fake().answer_with([&](const v1::ControlRequest& request) {
    v1::ControlReply reply;  // no answer in it
    reply.set_request_id(request.request_id());
    return reply;
  });

  const auto reply = plant.request(status_request(), 100ms);

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::kNoAnswer);
}

TEST_F(PlantTest, KeysThatAreNoneAreRefusedAtOnce) {
  Options options = brief();
  options.keys.server_key = "too short";

  const Result<Plant> plant = Plant::connect(fake().control_address(), options);

  ASSERT_FALSE(plant);
  EXPECT_EQ(plant.error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(fake().requests().empty());
}

TEST_F(PlantTest, AnAddressThatIsNoneIsAnError) {
  const Result<Plant> plant = Plant::connect("nonsense://here", brief());

  ASSERT_FALSE(plant);
  EXPECT_EQ(plant.error().kind, ErrorKind::kSystem);
  EXPECT_THAT(plant.error().message, HasSubstr("nonsense://here"));
}

}  // namespace
}  // namespace kinloop::client

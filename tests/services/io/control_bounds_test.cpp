// Tests what the socket "control" does with requests that are too many, too large, or not their sender's to make.
#include <chrono>
#include <optional>
#include <string>

#include "services/security/keys.hpp"
#include "tests/services/io/embedded_plant.hpp"
#include "tests/services/io/raw_client.hpp"
#include "tests/services/security/key_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

using namespace std::chrono_literals;

class ControlBounds : public TemporaryFolder {};

/// In the past 3.2 MB of commands came back as 410 MB.
TEST_F(ControlBounds, ARolloutThatWouldNotFitIsRefusedWithTheSizeItMayHave) {
  EmbeddedPlant embedded("four_bar", folder_);
  RawClient client(embedded.context());
  v1::ControlRequest request;
  auto& commands = *request.mutable_rollout()->add_sequences()->mutable_commands();
  commands.Resize(2'000'000, 0.0);

  const v1::ControlReply reply = client.ask(request);

  ASSERT_EQ(reply.error().code(), v1::ERROR_CODE_TOO_LARGE) << reply.ShortDebugString();
  EXPECT_EQ(reply.error().field(), "sequences");
  EXPECT_NE(reply.error().message().find("in 1 sequences up to "), std::string::npos) << reply.error().message();
  EXPECT_LT(reply.ByteSizeLong(), 1000U);
}

TEST_F(ControlBounds, ACaptureThatWouldNotFitIsRefusedWithTheSizeItMayHave) {
  std::string rig =
      "kinloop_rig: 1\nname: many\nmodel: " + (test::rig_path("pendulum").parent_path() / "../models").string() +
      "/pendulum.yaml\nrate: 1 kHz\nsensors:\n";  // more than any rig of configs has
  for (int i = 0; i < 100; ++i) rig += "  - {name: s" + std::to_string(i) + ", signal: q.pin}\n";
  write("many.yaml", rig);
  EmbeddedPlant embedded(folder_ / "many.yaml", folder_);
  RawClient client(embedded.context());
  v1::ControlRequest request;
  request.mutable_capture()->set_condition(v1::CONDITION_FLAGGED);
  request.mutable_capture()->set_steps_before(4096);
  request.mutable_capture()->set_steps_after(20'000);

  const v1::ControlReply reply = client.ask(request);

  EXPECT_EQ(reply.error().code(), v1::ERROR_CODE_TOO_LARGE) << reply.ShortDebugString();
  EXPECT_EQ(reply.error().field(), "steps_after");
}

TEST_F(ControlBounds, AStopIsHeardFromASenderThatHasBeenCutOffForItsFlood) {
  constexpr int kRequests = 3000;  // 2000 at once are heard
  EmbeddedPlant embedded("four_bar", folder_);
  RawClient client(embedded.context());
  v1::ControlRequest status;
  status.mutable_status();
  int answered = 0;
  for (int i = 0; i < kRequests; ++i) {
    client.send(status);
    while (client.receive(0ms)) ++answered;
  }
  while (client.receive(200ms)) ++answered;
  ASSERT_LT(answered, kRequests) << "the flood is cut off";
  v1::ControlRequest stop;
  stop.set_client(1);
  stop.set_request_id(77);
  stop.mutable_emergency_stop();

  const v1::ControlReply reply = client.ask(stop);

  EXPECT_TRUE(reply.has_done()) << reply.ShortDebugString();
  EXPECT_EQ(reply.request_id(), 77U);
}

TEST_F(ControlBounds, AStopIsDoneUnderTheNumberOfAnotherRequest) {
  EmbeddedPlant embedded("four_bar", folder_);
  RawClient client(embedded.context());
  v1::ControlRequest request;
  request.set_client(1);
  request.set_request_id(5);
  request.mutable_status();
  ASSERT_TRUE(client.ask(request).has_status());
  const auto stops = [&] { return embedded.memory().stops[1].count.load(); };
  const std::uint64_t before = stops();

  request.mutable_emergency_stop();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.ask(request).has_done());

  EXPECT_EQ(stops(), before + 3);
  request.mutable_pause();
  EXPECT_EQ(client.ask(request).error().code(), v1::ERROR_CODE_NUMBER_USED);
}

/// Who asks and does not read: ZeroMQ's queues hold 64 answers, whatever their size.
TEST_F(ControlBounds, WhoDoesNotReadItsAnswersIsToldToAndNobodyElse) {
  EmbeddedPlant embedded("four_bar", folder_);
  RawClient greedy(embedded.context());
  v1::ControlRequest request;  // of 100 kB, answered with 16 MB or nearly
  for (int i = 0; i < 40; ++i) {
    request.mutable_rollout()->add_sequences()->mutable_commands()->Resize(10'000, 0.0);
  }
  constexpr int kRequests = 30;
  for (int i = 1; i <= kRequests; ++i) {
    request.set_request_id(static_cast<std::uint64_t>(i));
    greedy.send(request);
  }

  RawClient other(embedded.context());
  v1::ControlRequest status;
  status.mutable_status();
  EXPECT_TRUE(other.ask(status).has_status());
  int large = 0;
  int busy = 0;
  while (const auto reply = greedy.receive(large + busy < kRequests ? 20s : 0s)) {
    large += reply->has_rollout() ? 1 : 0;
    busy += reply->error().code() == v1::ERROR_CODE_BUSY ? 1 : 0;
  }
  EXPECT_EQ(large + busy, kRequests);
  EXPECT_GT(large, 0);
  EXPECT_GT(busy, 0);
}

class ControlRoles : public security::KeyFixture {};

/// The body is no message at all: who is told so was read before it was known whether it may ask.
TEST_F(ControlRoles, WhoMayNotAskIsTurnedAwayBeforeItsBodyIsRead) {
  const security::KeyPair server = security::new_pair("server");
  ASSERT_TRUE(security::write_key_files(folder_, server, std::nullopt));
  const security::KeyPair eve = allow("eve", security::Role::kObserver);
  ListenOptions listen;
  listen.addresses = {net::parse_listen_address("tcp://127.0.0.1:0").value()};
  listen.keys = keys();
  listen.server_key = folder_ / "server.secret";
  EmbeddedPlant embedded(test::rig_path("four_bar"), folder_, listen);
  RawClient inside(embedded.context());
  RawClient observer(embedded.context(), inside.address_of("control", "tcp://"), eve, server.public_key);
  v1::ControlRequest restore;
  restore.set_version(1);
  restore.mutable_restore()->mutable_snapshot()->set_rig("0123456789");
  std::string bytes = restore.SerializeAsString();
  bytes.replace(bytes.find("0123456789") - 2, 12, std::string(12, '\xff'));
  ASSERT_FALSE(v1::ControlRequest().ParseFromString(bytes));

  inside.send(bytes);
  observer.send(bytes);

  EXPECT_EQ(inside.receive(20s)->error().code(), v1::ERROR_CODE_MALFORMED);
  EXPECT_EQ(observer.receive(20s)->error().code(), v1::ERROR_CODE_FORBIDDEN);
}

}  // namespace
}  // namespace kinloop::io

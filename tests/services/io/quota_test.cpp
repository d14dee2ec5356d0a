// Tests what connections may have under way, and that it is freed when they leave.
#include "services/io/quota.hpp"

#include <chrono>
#include <thread>

#include "services/io/frame_publisher.hpp"
#include "tests/services/io/embedded_plant.hpp"
#include "tests/services/io/raw_client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

using namespace std::chrono_literals;
using security::Role;

TEST(Quota, EachConnectionHasItsOwnAndRoomIsKeptForThoseWhoCommand) {
  Quota quota({2, 3, 4});
  const auto first = quota.take("a", Role::kObserver);
  auto second = quota.take("a", Role::kObserver);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(quota.take("a", Role::kObserver), nullptr) << "two each";
  const auto third = quota.take("b", Role::kObserver);
  EXPECT_NE(third, nullptr);
  EXPECT_EQ(quota.take("c", Role::kObserver), nullptr) << "three of observers";
  const auto fourth = quota.take("c", Role::kOperator);
  EXPECT_NE(fourth, nullptr);
  EXPECT_EQ(quota.take("d", Role::kAdmin), nullptr) << "four in all";

  second.reset();

  EXPECT_NE(quota.take("a", Role::kObserver), nullptr);
}

class Departures : public TemporaryFolder {
 protected:
  Departures() { listen_.addresses = {net::parse_listen_address("tcp://127.0.0.1:0").value()}; }

  static v1::ControlRequest a_capture(std::uint64_t number) {
    v1::ControlRequest request;
    request.set_client(1);
    request.set_request_id(number);
    request.mutable_capture()->set_condition(v1::CONDITION_FLAGGED);
    return request;
  }

  ListenOptions listen_;
};

TEST_F(Departures, CapturesOfWhoLeftMakeRoomForOthers) {
  EmbeddedPlant embedded(test::rig_path("four_bar"), folder_, listen_);
  const std::string address = RawClient(embedded.context()).address_of("control", "tcp://");
  zmq::context_t context(1);
  std::vector<std::unique_ptr<RawClient>> greedy;
  std::uint64_t number = 0;
  for (int i = 0; i < 4; ++i) {
    greedy.push_back(std::make_unique<RawClient>(context, address));
    for (int k = 0; k < 4; ++k) greedy.back()->send(a_capture(++number));
    greedy.back()->send(a_capture(++number));
    const auto reply = greedy.back()->receive(20s);
    ASSERT_TRUE(reply) << "the fifth is answered at once";
    ASSERT_EQ(reply->error().code(), v1::ERROR_CODE_BUSY);
  }
  RawClient late(context, address);
  ASSERT_EQ(late.ask(a_capture(++number)).error().code(), v1::ERROR_CODE_BUSY) << "16 wait";

  greedy.front()->close();

  const auto end = std::chrono::steady_clock::now() + 20s;
  std::optional<v1::ControlReply> refusal;
  do {
    late.send(a_capture(++number));
    refusal = late.receive(200ms);  // one that waits is not answered
  } while (refusal && std::chrono::steady_clock::now() < end);
  EXPECT_FALSE(refusal) << "there is room again";
}

/// A socket as io has it, and one who listens at many rates.
class Topics : public testing::Test {
 protected:
  Topics() : socket_(context_, zmq::socket_type::xpub), publisher_(socket_, 1) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.bind("tcp://127.0.0.1:*");
  }

  zmq::socket_t subscriber(int first, int count) {
    zmq::socket_t socket(clients_, zmq::socket_type::sub);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(socket_.get(zmq::sockopt::last_endpoint));
    for (int i = first; i < first + count; ++i) {
      socket.set(zmq::sockopt::subscribe, wire::frame_topic(static_cast<std::uint32_t>(i)));
    }
    return socket;
  }
  /// Publishes until the condition holds, or patience ends.
  template <class Condition>
  bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    rt::SensorFrame frame;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      publisher_.take_subscriptions();
      publisher_.publish(frame);
      std::this_thread::sleep_for(1ms);
    }
    return condition();
  }
  static bool gets_frames(zmq::socket_t& socket) {
    zmq::message_t message;
    return socket.recv(message, zmq::recv_flags::dontwait).has_value();
  }

  zmq::context_t context_{1}, clients_{1};
  zmq::socket_t socket_;
  FramePublisher publisher_;
};

TEST_F(Topics, OneConnectionHasSoManyAndLeavesNoneBehind) {
  zmq::socket_t greedy = subscriber(2, 500);
  ASSERT_TRUE(until([&] { return publisher_.topic_count() == FramePublisher::kMaxOfOne; }));
  zmq::socket_t other = subscriber(1000, 1);
  ASSERT_TRUE(until([&] { return publisher_.topic_count() == FramePublisher::kMaxOfOne + 1; }));

  greedy.close();

  EXPECT_TRUE(until([&] { return publisher_.topic_count() == 1; }));
  zmq::socket_t all = subscriber(1, 1);
  EXPECT_TRUE(until([&] { return gets_frames(all); }));
}

TEST_F(Topics, ATopicThatTwoWantStaysForTheOneWhoStays) {
  zmq::socket_t leaves = subscriber(2, 1);
  zmq::socket_t stays = subscriber(2, 1);
  ASSERT_TRUE(until([&] { return gets_frames(leaves); }));
  ASSERT_TRUE(until([&] { return gets_frames(stays); }));

  leaves.close();
  const auto end = std::chrono::steady_clock::now() + 300ms;
  ASSERT_TRUE(until([&] { return std::chrono::steady_clock::now() > end; }));
  while (gets_frames(stays)) continue;

  EXPECT_TRUE(until([&] { return gets_frames(stays); }));
}

TEST_F(Topics, WhoNoLongerWantsATopicGetsNoMoreOfIt) {
  zmq::socket_t client = subscriber(2, 2);
  ASSERT_TRUE(until([&] { return publisher_.topic_count() == 2; }));

  client.set(zmq::sockopt::unsubscribe, wire::frame_topic(2));

  EXPECT_TRUE(until([&] { return publisher_.topic_count() == 1; }));
}

}  // namespace
}  // namespace kinloop::io

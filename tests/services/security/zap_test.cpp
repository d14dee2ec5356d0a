// Tests who gets through to a guarded socket, with real connections.
#include "services/security/zap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/services/security/key_fixture.hpp"

namespace kinloop::security {
namespace {

using testing::HasSubstr;
using testing::Not;

class Zap : public KeyedServer {};

TEST_F(Zap, AnAllowedKeyGetsThroughWithItsRoleAndName) {
  const KeyPair alice = allow("alice", Role::kObserver);
  const KeyPair bob = allow("bob", Role::kAdmin);
  start_handler();
  bind();

  Client first(alice, server_.public_key);
  first.say(tcp(), "hello");
  const auto from_alice = receive();
  Client second(bob, server_.public_key);
  second.say(tcp(), "hello");
  const auto from_bob = receive();

  ASSERT_TRUE(from_alice && from_bob);
  EXPECT_EQ(from_alice->caller, (Caller{Role::kObserver, "alice"}));
  EXPECT_EQ(from_bob->caller, (Caller{Role::kAdmin, "bob"}));
  EXPECT_EQ(from_alice->text, "hello");
  EXPECT_EQ(handler_->counts().accepted, 2);
  EXPECT_EQ(handler_->counts().refused, 0);
}

TEST_F(Zap, AKeyThatIsNotAllowedIsRefusedAndShownShortened) {
  allow("alice", Role::kObserver);
  const KeyPair stranger = new_pair("alice");
  start_handler();
  bind();

  Client client(stranger, server_.public_key);
  client.say(tcp(), "hello");

  EXPECT_EQ(client.is_let_in(), false);
  EXPECT_TRUE(refuses(1));
  handler_.reset();
  EXPECT_THAT(log(), HasSubstr("a client at '127.0.0.1' was refused: the key " + shortened(stranger.public_key)));
  EXPECT_THAT(log(), Not(HasSubstr(stranger.public_key)));
  EXPECT_FALSE(receive(std::chrono::milliseconds(0)).has_value());
}

TEST_F(Zap, AClientWithoutAKeyIsRefused) {
  start_handler();
  bind();

  Client client;
  client.say(tcp(), "hello");

  EXPECT_EQ(client.is_let_in(), false);
  EXPECT_FALSE(receive(std::chrono::milliseconds(0)).has_value());
}

TEST_F(Zap, AClientThatExpectsAnotherServerDoesNotTalkToThisOne) {
  const KeyPair alice = allow("alice", Role::kObserver);
  start_handler();
  bind({}, {.handshake = std::chrono::milliseconds(300)});

  Client client(alice, new_pair("impostor").public_key);
  client.say(tcp(), "hello");

  EXPECT_EQ(client.is_let_in(), false);
  EXPECT_EQ(handler_->counts().accepted, 0);
  EXPECT_FALSE(receive(std::chrono::milliseconds(0)).has_value());
}

TEST_F(Zap, AKeyWithoutItsSecretIsOfNoUse) {
  const KeyPair alice = allow("alice", Role::kAdmin);
  const KeyPair thief{"alice", alice.public_key, new_pair("thief").secret_key};
  start_handler();
  bind({}, {.handshake = std::chrono::milliseconds(300)});

  Client client(thief, server_.public_key);
  client.say(tcp(), "hello");

  EXPECT_EQ(client.is_let_in(), false);
  EXPECT_EQ(handler_->counts().accepted, 0);
}

TEST_F(Zap, AWithdrawnKeyOpensNoNewConnection) {
  const KeyPair alice = allow("alice", Role::kOperator);
  start_handler();
  bind();
  Client before(alice, server_.public_key);
  before.say(tcp(), "before");
  ASSERT_TRUE(receive().has_value());

  std::filesystem::remove(public_file("alice"));
  Client after(alice, server_.public_key);
  after.say(tcp(), "after");

  EXPECT_EQ(after.is_let_in(), false);
  before.send("still there");
  const auto received = receive();
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(received->text, "still there");
}

TEST_F(Zap, AKeyThatIsAddedWhileThePlantRunsIsLetIn) {
  start_handler();
  bind();

  const KeyPair alice = allow("alice", Role::kOperator);
  Client client(alice, server_.public_key);
  client.say(tcp(), "hello");

  const auto received = receive();
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(received->caller, (Caller{Role::kOperator, "alice"}));
}

TEST_F(Zap, ABadFileAmongTheKeysIsReportedAndShutsNobodyElseOut) {
  const KeyPair alice = allow("alice", Role::kOperator);
  start_handler();
  bind();

  write("keys/broken.public", "nonsense\n");
  Client client(alice, server_.public_key);
  client.say(tcp(), "hello");

  EXPECT_TRUE(receive().has_value());
  EXPECT_THAT(log(), HasSubstr("broken.public:1: is no line"));
}

TEST_F(Zap, WithoutAHandlerEverybodyIsRefused) {
  const KeyPair alice = allow("alice", Role::kAdmin);
  start_handler();
  bind();
  handler_.reset();

  Client client(alice, server_.public_key);
  client.say(tcp(), "hello");

  EXPECT_EQ(client.is_let_in(), false);
}

TEST_F(Zap, ASocketWithoutCurveInAGuardedDomainIsRefused) {
  start_handler();
  zmq::socket_t open(context_, zmq::socket_type::router);
  open.set(zmq::sockopt::linger, 0);
  open.set(zmq::sockopt::zap_domain, kZapDomain);
  open.bind("tcp://127.0.0.1:*");

  Client client;
  client.say(open.get(zmq::sockopt::last_endpoint), "hello");

  EXPECT_EQ(client.is_let_in(), false);
  EXPECT_TRUE(refuses(1));
}

TEST_F(Zap, OneContextHasOneHandler) {
  start_handler();

  const auto second = ZapHandler::start(context_, KeyFolder::open(keys()).value(), nullptr);

  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().what, HasSubstr("cannot be started: Address already in use"));
}

TEST_F(Zap, AHandlerWhoseContextIsShutDownStillEnds) {
  start_handler();

  context_.shutdown();
  handler_.reset();

  SUCCEED();
}

TEST_F(Zap, AReportThatThrowsDoesNotLetAnybodyIn) {
  handler_ = ZapHandler::start(context_, KeyFolder::open(keys()).value(), [](const std::string&) {
               throw std::runtime_error("disk full");
             }).value();
  bind();

  Client client(new_pair("stranger"), server_.public_key);
  client.say(tcp(), "hello");

  EXPECT_EQ(client.is_let_in(), false);
}

/// Speaks to the handler as libzmq does, but what it likes.
class ZapRequest : public Zap {
 protected:
  void SetUp() override {
    Zap::SetUp();
    alice_ = allow("alice", Role::kOperator);
    start_handler();
    asker_ = zmq::socket_t(context_, zmq::socket_type::dealer);
    asker_.set(zmq::sockopt::linger, 0);
    asker_.set(zmq::sockopt::rcvtimeo, static_cast<int>(kPatience.count()));
    asker_.connect("inproc://zeromq.zap.01");
  }

  void ask(const std::vector<std::string>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      asker_.send(zmq::buffer(frames[i]), i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
  }
  std::vector<std::string> hear() {
    std::vector<std::string> frames;
    zmq::message_t frame;
    do {
      if (!asker_.recv(frame)) return {};
      frames.push_back(frame.to_string());
    } while (frame.more());
    return frames;
  }
  std::string key_bytes() const {
    std::string bytes(32, '\0');
    zmq_z85_decode(reinterpret_cast<std::uint8_t*>(bytes.data()), alice_.public_key.c_str());
    return bytes;
  }
  std::vector<std::string> good() const { return {"", "1.0", "7", kZapDomain, "10.0.0.1", "", "CURVE", key_bytes()}; }

  KeyPair alice_ = new_pair("nobody");
  zmq::socket_t asker_;
};

TEST_F(ZapRequest, AGoodOneIsAnsweredAsTheProtocolWants) {
  ask(good());

  EXPECT_THAT(hear(), testing::ElementsAre("", "1.0", "7", "200", "", "operator:alice", ""));
}

TEST_F(ZapRequest, EveryFlawIsAnsweredBy400) {
  const auto with = [&](std::size_t frame, const std::string& text) {
    std::vector<std::string> frames = good();
    frames[frame] = text;
    return frames;
  };
  std::vector<std::string> surplus = good();
  surplus.emplace_back("more");
  const std::vector<std::pair<std::vector<std::string>, std::string>> flaws{
      {with(1, "2.0"), "version"},
      {with(3, "elsewhere"), "domain"},
      {with(6, "NULL"), "only CURVE"},
      {with(6, "PLAIN"), "only CURVE"},
      {with(7, "short"), "malformed"},
      {with(7, std::string(33, 'x')), "malformed"},
      {with(7, std::string(32, 'x')), "not among the allowed"},
      {{"", "1.0", "7"}, "not complete"},
      {{"", "1.0", "7", kZapDomain, "", "", "CURVE"}, "malformed"},
      {surplus, "malformed"}};

  for (const auto& [frames, why] : flaws) {
    ask(frames);
    const std::vector<std::string> answer = hear();

    ASSERT_EQ(answer.size(), 7u) << why;
    EXPECT_EQ(answer[2], "7");
    EXPECT_EQ(answer[3], "400");
    EXPECT_THAT(answer[4], HasSubstr(why));
    EXPECT_EQ(answer[5], "");
  }
  EXPECT_EQ(handler_->counts().refused, static_cast<std::int64_t>(flaws.size()));
}

TEST_F(ZapRequest, WhatCannotBeAnsweredIsDroppedAndTheNextOneServed) {
  ask({"no envelope"});
  ask({""});
  ask({"", "1.0"});
  ask({"", ""});
  ask(std::vector<std::string>(100, "many"));
  ask(std::vector<std::string>(100, ""));
  ask(good());

  EXPECT_EQ(hear().at(3), "200");
  EXPECT_EQ(handler_->counts().malformed, 6);
}

TEST_F(ZapRequest, AFloodOfRefusalsIsLoggedInFewLines) {
  constexpr int kFlood = 200;
  std::vector<std::string> stranger = good();
  stranger[7] = std::string(32, 'x');
  const auto start = std::chrono::steady_clock::now();

  for (int i = 0; i < kFlood; ++i) {
    ask(stranger);
    EXPECT_EQ(hear().at(3), "400");
  }
  handler_.reset();

  const auto seconds = std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
  const std::string lines = log();
  EXPECT_LE(std::count(lines.begin(), lines.end(), '\n'), seconds + 1);
}

}  // namespace
}  // namespace kinloop::security

// Tests by what a request is known when it comes again, and what its sender is told.
#include "services/io/replies.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rt/messages/request.hpp"
#include "services/wire/hash.hpp"

namespace kinloop::io {
namespace {

constexpr security::Caller kNobody{};

RequestId numbered(std::uint64_t client, std::uint64_t number, std::string caller = "operator:alice") {
  return {std::move(caller), client, number};
}

Answer answer_of(const v1::ControlReply& reply) {
  return std::make_shared<const std::string>(reply.SerializeAsString());
}

v1::ControlReply read(const Answer& answer) {
  v1::ControlReply reply;
  EXPECT_TRUE(reply.ParseFromString(*answer));
  return reply;
}

TEST(ReplyCache, ARequestThatIsSentAgainGetsTheAnswerItHad) {
  ReplyCache cache;
  v1::ControlReply reply;
  reply.set_step(99);
  EXPECT_EQ(cache.look_up(numbered(1, 2), 7, {"a"}), ReplyCache::Found::kNew);
  EXPECT_EQ(cache.look_up(numbered(1, 2), 7, {"b"}), ReplyCache::Found::kUnderWay);

  const auto others = cache.keep(numbered(1, 2), answer_of(reply));

  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0], Envelope{"b"});
  EXPECT_EQ(cache.look_up(numbered(1, 2), 7, {"c"}), ReplyCache::Found::kAnswered);
  EXPECT_EQ(read(cache.answer_to(numbered(1, 2))).step(), 99U);
  EXPECT_TRUE(read(cache.answer_to(numbered(1, 2))).repeated_answer());
  EXPECT_EQ(cache.look_up(numbered(2, 2), 7, {"c"}), ReplyCache::Found::kNew) << "another client's";
  EXPECT_EQ(cache.look_up(numbered(1, 2, "operator:bob"), 7, {"c"}), ReplyCache::Found::kNew) << "another key's";
  EXPECT_EQ(cache.look_up(numbered(1, 2), 8, {"c"}), ReplyCache::Found::kOther) << "another request";
}

TEST(ReplyCache, WithoutNumbersEveryRequestIsNew) {
  ReplyCache cache;

  EXPECT_EQ(cache.look_up(numbered(1, 0), 7, {"a"}), ReplyCache::Found::kNew);
  EXPECT_EQ(cache.look_up(numbered(1, 0), 7, {"a"}), ReplyCache::Found::kNew);
}

TEST(ReplyCache, TheOldestAreForgotten) {
  ReplyCache cache;
  for (std::uint64_t i = 1; i <= ReplyCache::kMax + 10; ++i) {
    cache.look_up(numbered(1, i), 7, {"a"});
    cache.keep(numbered(1, i), answer_of({}));
  }

  EXPECT_EQ(cache.look_up(numbered(1, ReplyCache::kMax + 10), 7, {"a"}), ReplyCache::Found::kAnswered);
  EXPECT_EQ(cache.look_up(numbered(1, 1), 7, {"a"}), ReplyCache::Found::kNew);
}

/// A socket that keeps what is sent.
class Answers {
 public:
  Replies& replies() { return replies_; }
  const v1::ControlReply& last() const { return sent_.back(); }
  std::size_t count() const { return sent_.size(); }

 private:
  std::vector<v1::ControlReply> sent_;
  Replies replies_{[this](const Envelope&, const Answer& answer) { sent_.push_back(read(answer)); }};
};

Call call_of(const v1::ControlRequest& request, const security::Caller& caller) {
  Call call;
  call.from = {"somebody"};
  call.request = request;
  call.caller = caller;
  call.hash = wire::hash_of(request.SerializeAsString());
  return call;
}

v1::ControlRequest request_of(std::uint64_t client, std::uint64_t number) {
  v1::ControlRequest request;
  request.set_version(1);
  request.set_client(client);
  request.set_request_id(number);
  return request;
}

v1::ControlRequest a_status(std::uint64_t client, std::uint64_t number) {
  v1::ControlRequest request = request_of(client, number);
  request.mutable_status();
  return request;
}

v1::ControlRequest a_stop(std::uint64_t client, std::uint64_t number) {
  v1::ControlRequest request = request_of(client, number);
  request.mutable_emergency_stop();
  return request;
}

TEST(Replies, AStopIsDoneWhateverWasAskedUnderItsNumber) {
  Answers answers;
  const security::Caller alice{security::Role::kOperator, "alice"};
  Call status = call_of(a_status(7, 1), alice);
  ASSERT_TRUE(answers.replies().begin(status));
  status.reply.mutable_status();
  answers.replies().finish(status);

  for (int i = 0; i < 3; ++i) {
    Call stop = call_of(a_stop(7, 1), alice);
    EXPECT_TRUE(answers.replies().begin(stop)) << "each is done";
    EXPECT_EQ(stop.plant_id(), 0U) << "and the plant does not know it either";
    stop.reply.mutable_done();
    answers.replies().finish(stop);
    EXPECT_TRUE(answers.last().has_done());
    EXPECT_FALSE(answers.last().repeated_answer());
    EXPECT_EQ(answers.last().request_id(), 1U);
  }
}

TEST(Replies, ANumberThatWasUsedForAnotherRequestIsAnErrorOfItsOwn) {
  Answers answers;
  Call status = call_of(a_status(7, 1), kNobody);
  ASSERT_TRUE(answers.replies().begin(status));
  status.reply.mutable_status();
  answers.replies().finish(status);
  v1::ControlRequest pause = request_of(7, 1);
  pause.mutable_pause();
  Call other = call_of(pause, kNobody);

  EXPECT_FALSE(answers.replies().begin(other));

  ASSERT_EQ(answers.count(), 2U);
  EXPECT_EQ(answers.last().error().code(), v1::ERROR_CODE_NUMBER_USED);
  EXPECT_EQ(answers.last().error().field(), "request_id");
  Call again = call_of(a_status(7, 1), kNobody);
  EXPECT_FALSE(answers.replies().begin(again));
  EXPECT_TRUE(answers.last().has_status()) << "the first one's answer is still there";
  EXPECT_TRUE(answers.last().repeated_answer());
}

TEST(Replies, NobodyGetsOrSpoilsTheAnswersOfAnotherKey) {
  Answers answers;
  const security::Caller alice{security::Role::kOperator, "alice"};
  const security::Caller eve{security::Role::kObserver, "eve"};
  Call first = call_of(a_status(7, 1), eve);
  ASSERT_TRUE(answers.replies().begin(first));

  Call second = call_of(a_status(7, 1), alice);

  EXPECT_TRUE(answers.replies().begin(second));
  EXPECT_NE(first.key(), second.key()) << "nor are her jobs cancelled by who knows her numbers";
  EXPECT_NE(first.plant_id(), second.plant_id());
}

TEST(Replies, AnAnswerThatIsTooLargeIsRefusedWithItsSize) {
  Call call = call_of(a_status(7, 1), kNobody);
  call.reply.mutable_rollout()->add_results()->mutable_outputs()->Resize(
      static_cast<int>(kMaxAnswerBytes / sizeof(double)) + 1, 0.0);

  const v1::ControlReply reply = read(serialise(call));

  EXPECT_EQ(reply.error().code(), v1::ERROR_CODE_TOO_LARGE);
  EXPECT_EQ(reply.request_id(), 1U);
}

}  // namespace
}  // namespace kinloop::io

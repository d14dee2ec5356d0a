// Tests that messages and bytes of each sender are counted apart, and that what lies unsent is known.
#include "services/io/rate_limit.hpp"

#include <gtest/gtest.h>

#include "services/io/unsent_bytes.hpp"

namespace kinloop::io {
namespace {

using Verdict = RateLimit::Verdict;

constexpr std::int64_t kRateSecond = 1'000'000'000;
constexpr Rate kPlenty{1e9, 1e9};

TEST(RateLimit, ABurstThenTheRateAndEveryoneHasTheirOwn) {
  RateLimit limit({10.0, 5.0}, kPlenty);
  int heard = 0;
  for (int i = 0; i < 100; ++i) heard += limit.judge("flood", 1, 0) == Verdict::kHeard ? 1 : 0;
  EXPECT_EQ(heard, 5);
  EXPECT_EQ(limit.judge("other", 1, 0), Verdict::kHeard);

  heard = 0;
  for (int i = 0; i < 100; ++i) heard += limit.judge("flood", 1, kRateSecond / 2) == Verdict::kHeard ? 1 : 0;

  EXPECT_EQ(heard, 5) << "half a second at 10 a second";
}

TEST(RateLimit, FewLargeMessagesAreTooManyBytes) {
  RateLimit limit(kPlenty, {1000.0, 5000.0});
  EXPECT_EQ(limit.judge("big", 4000, 0), Verdict::kHeard);
  EXPECT_EQ(limit.judge("big", 4000, 0), Verdict::kHeard) << "into debt, once";
  EXPECT_EQ(limit.judge("big", 1, 0), Verdict::kTooManyBytes);
  EXPECT_EQ(limit.judge("other", 4000, 0), Verdict::kHeard);

  EXPECT_EQ(limit.judge("big", 1, 2 * kRateSecond), Verdict::kTooManyBytes) << "3000 of debt, 2000 paid";
  EXPECT_EQ(limit.judge("big", 1, 4 * kRateSecond), Verdict::kHeard);
}

TEST(RateLimit, AnswersAreChargedToWhoAsked) {
  RateLimit limit(kPlenty, {1000.0, 5000.0});
  EXPECT_EQ(limit.judge("asker", 10, 0), Verdict::kHeard);

  limit.charge("asker", 100'000);

  EXPECT_EQ(limit.judge("asker", 10, kRateSecond), Verdict::kTooManyBytes);
  EXPECT_EQ(limit.judge("asker", 10, 200 * kRateSecond), Verdict::kHeard);
}

TEST(UnsentBytes, CountUntilTheReceiverHasRead) {
  UnsentBytes unsent;
  const Answer answer = std::make_shared<const std::string>(100'000, 'x');
  zmq::context_t context(1);
  zmq::socket_t sender(context, zmq::socket_type::pair);
  zmq::socket_t receiver(context, zmq::socket_type::pair);
  sender.bind("inproc://answers");
  receiver.connect("inproc://answers");

  for (int i = 0; i < 3; ++i) sender.send(unsent.message_for("slow", answer), zmq::send_flags::dontwait);
  EXPECT_EQ(unsent.of("slow"), 300'000);
  EXPECT_EQ(unsent.all(), 300'000);
  EXPECT_EQ(unsent.of("other"), 0);
  {
    zmq::message_t message;
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(receiver.recv(message));
    EXPECT_EQ(message.to_string_view(), *answer);
  }

  EXPECT_EQ(unsent.of("slow"), 100'000);
  receiver.close();
  sender.close();
  context.close();
  EXPECT_EQ(unsent.all(), 0) << "thrown away counts as gone";
}

}  // namespace
}  // namespace kinloop::io

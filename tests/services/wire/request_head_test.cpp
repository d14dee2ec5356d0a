// Tests that a request is told by its head alone, whatever its body holds.
#include "services/wire/request_head.hpp"

#include <gtest/gtest.h>
#include <kinloop/v1/control.pb.h>

#include <random>
#include <string>

namespace kinloop::wire {
namespace {

std::optional<RequestHead> head_of(const std::string& bytes) { return read_request_head({bytes.data(), bytes.size()}); }

v1::ControlRequest a_note() {
  v1::ControlRequest request;
  request.set_version(1);
  request.set_client(0x1122334455667788);
  request.set_request_id(42);
  request.mutable_note()->set_text("all is well");
  return request;
}

TEST(RequestHead, SaysWhatTheWholeMessageSays) {
  const auto head = head_of(a_note().SerializeAsString());

  ASSERT_TRUE(head);
  EXPECT_EQ(head->version, 1U);
  EXPECT_EQ(head->client, 0x1122334455667788U);
  EXPECT_EQ(head->request_id, 42U);
  EXPECT_EQ(head->verb, v1::ControlRequest::kNote);
  EXPECT_EQ(head_of("")->verb, 0);
}

TEST(RequestHead, DoesNotReadTheBody) {
  std::string bytes = a_note().SerializeAsString();
  const std::size_t body = bytes.find("all is well") - 2;
  for (std::size_t i = body; i < bytes.size(); ++i) bytes[i] = '\xff';
  ASSERT_FALSE(v1::ControlRequest().ParseFromString(bytes));

  const auto head = head_of(bytes);

  ASSERT_TRUE(head);
  EXPECT_EQ(head->verb, v1::ControlRequest::kNote);
}

/// Protobuf takes the last of several: a stop behind a restore, say, would pass as what it is not.
TEST(RequestHead, SeveralVerbsAreNoRequest) {
  v1::ControlRequest stop;
  stop.mutable_emergency_stop();

  EXPECT_FALSE(head_of(a_note().SerializeAsString() + stop.SerializeAsString()));
}

TEST(RequestHead, MillionsOfFieldsAreNoRequest) {
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) bytes += "\x20\x01";  // field 4, which there is not

  EXPECT_FALSE(head_of(bytes));
}

TEST(RequestHead, AgreesWithTheParserOnWhateverComes) {
  constexpr int kMessages = 200'000;
  const std::string good = a_note().SerializeAsString();
  std::mt19937_64 random(5);
  int read = 0;
  for (int i = 0; i < kMessages; ++i) {
    std::string bytes = good.substr(0, 1 + random() % good.size());
    for (std::uint64_t k = random() % 4; k > 0; --k) bytes[random() % bytes.size()] = static_cast<char>(random());
    v1::ControlRequest request;
    if (!request.ParseFromString(bytes)) continue;
    const auto head = head_of(bytes);
    if (!head) continue;  // stricter: several verbs, groups
    ++read;
    ASSERT_EQ(head->verb, static_cast<int>(request.verb_case())) << i;
    ASSERT_EQ(head->version, request.version()) << i;
    ASSERT_EQ(head->client, request.client()) << i;
    ASSERT_EQ(head->request_id, request.request_id()) << i;
  }

  EXPECT_GT(read, kMessages / 50);
}

}  // namespace
}  // namespace kinloop::wire

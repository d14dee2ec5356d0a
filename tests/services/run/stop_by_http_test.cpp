// Tests what the supervisor's HTTP takes for a stop, from whom, and what it answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/run/stop_protocol.hpp"

namespace kinloop::run {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Kind = StopWish::Kind;

constexpr const char* kPanelToken = "abcdefghijklmnopqrstuvwxyz0123456789";

class StopByHttpTest : public testing::Test {
 protected:
  static std::string request(const std::string& first, const std::string& more) {
    return first + " HTTP/1.1\r\nHost: 127.0.0.1:8081\r\n" + more + "\r\n";
  }
  static gateway::Tokens tokens() {
    return gateway::Tokens::parse("observer somebody " + std::string(kPanelToken), "tokens").value();
  }

  std::atomic<std::uint16_t> page_{8080};
  std::unique_ptr<StopProtocol> open_ = stop_by_http(gateway::Access({}, {}), page_);
  std::unique_ptr<StopProtocol> guarded_ = stop_by_http(gateway::Access({}, tokens()), page_);
};

TEST_F(StopByHttpTest, APostStopsOnceItsHeadIsWhole) {
  const std::string post = request("POST /stop", "content-length: 0\r\n");

  EXPECT_EQ(open_->read(post).kind, Kind::kStop);
  for (std::size_t i = 0; i < post.size(); ++i) EXPECT_EQ(open_->read(post.substr(0, i)).kind, Kind::kIncomplete);
}

TEST_F(StopByHttpTest, OnlyThePageOfThisHostMayAsk) {
  const auto of = [&](const std::string& origin) {
    return open_->read(request("POST /stop", "Origin: " + origin + "\r\n")).kind;
  };

  EXPECT_EQ(of("http://127.0.0.1:8080"), Kind::kStop);
  for (const char* other : {"http://127.0.0.1:8081", "http://127.0.0.1", "http://localhost:8080", "null",
                            "http://elsewhere:8080", "http://127.0.0.1:8080x", "http://127.0.0.1:"}) {
    const StopWish wish = open_->read(request("POST /stop", "Origin: " + std::string(other) + "\r\n"));
    EXPECT_EQ(wish.kind, Kind::kOther) << other;
    EXPECT_THAT(wish.answer, StartsWith("HTTP/1.1 403")) << other;
  }
  page_ = 0;
  EXPECT_EQ(of("http://127.0.0.1:0"), Kind::kOther) << "there is no page yet";
}

TEST_F(StopByHttpTest, ANameThatWasMadeToPointHereIsRefused) {
  EXPECT_THAT(open_->read("POST /stop HTTP/1.1\r\nHost: evil.example:8081\r\n\r\n").answer, StartsWith("HTTP/1.1 403"));
}

TEST_F(StopByHttpTest, EveryTokenMayStopAndNothingElseDoes) {
  const auto with = [&](const std::string& header) { return guarded_->read(request("POST /stop", header)); };

  EXPECT_EQ(with("AUTHORIZATION:  Bearer " + std::string(kPanelToken) + "\r\n").kind, Kind::kStop);
  for (const std::string& other : {std::string(), std::string("Authorization: Bearer \r\n"),
                                   std::string("Authorization: Bearer abcdefghijklmnopqrstuvwxyz\r\n"),
                                   "Authorization: " + std::string(kPanelToken) + "\r\n"}) {
    EXPECT_THAT(with(other).answer, StartsWith("HTTP/1.1 401"));
  }
}

TEST_F(StopByHttpTest, ABrowserIsToldBeforehandWhatItMaySend) {
  const StopWish wish = guarded_->read(request("OPTIONS /stop", "Origin: http://127.0.0.1:8080\r\n"));

  EXPECT_EQ(wish.kind, Kind::kOther);
  EXPECT_THAT(wish.answer, StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(wish.answer, HasSubstr("Access-Control-Allow-Origin: http://127.0.0.1:8080\r\n"));
  EXPECT_THAT(wish.answer, HasSubstr("Access-Control-Allow-Headers: Authorization\r\n"));
}

TEST_F(StopByHttpTest, WhatIsNoStopIsAnsweredAndEndless) {
  EXPECT_THAT(open_->read(request("GET /stop", "")).answer, StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(open_->read(request("POST /other", "")).answer, StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(open_->read("stop\r\n\r\n").answer, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(open_->read(std::string(100000, 'x')).answer, StartsWith("HTTP/1.1 431"));
}

TEST_F(StopByHttpTest, TheAnswerNamesTheTickThatLatchedIt) {
  const std::string post = request("POST /stop", "Origin: http://127.0.0.1:8080\r\n");

  const std::string yes = open_->confirm(post, client::StopReceipt{11, 12, 10});
  const std::string no = open_->confirm(post, std::nullopt);

  EXPECT_THAT(yes, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(yes, HasSubstr("Access-Control-Allow-Origin: http://127.0.0.1:8080\r\n"));
  EXPECT_THAT(yes, HasSubstr(R"({"latched": true, "step": 11, "tick": 12, "asked_tick": 10})"));
  EXPECT_THAT(no, StartsWith("HTTP/1.1 504"));
}

}  // namespace
}  // namespace kinloop::run

// Tests who is let in to the page: addresses, origins, tokens.
#include "services/gateway/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinloop::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kToken = "abcdefghijklmnopqrstuvwxyz0123456789";

WebRequest from(const std::string& host, const std::string& origin, const std::string& token = "") {
  WebRequest request;
  request.host = host;
  request.origin = origin;
  request.token = token;
  return request;
}

PanelAddress address_of(const std::string& text) {
  const auto address = parse_panel_address(text);
  if (!address) ADD_FAILURE() << address.error().what;
  return address ? *address : PanelAddress{};
}

Tokens tokens_of(const std::string& text) {
  auto tokens = Tokens::parse(text, "tokens");
  if (!tokens) ADD_FAILURE() << tokens.error().where << ": " << tokens.error().what;
  return tokens ? *tokens : Tokens{};
}

TEST(PanelAddress, TheDefaultIsLoopbackWithPortsToSpare) {
  const PanelAddress address = address_of("");

  EXPECT_EQ(address.host, "127.0.0.1");
  EXPECT_EQ(address.port, 8080);
  EXPECT_GT(address.spare_ports, 0);
  EXPECT_EQ(text_of(address), "");
}

TEST(PanelAddress, AChosenOneIsReadAndWritten) {
  for (const std::string text : {"127.0.0.1:9000", "0.0.0.0:8080", "[::1]:0"}) {
    const PanelAddress address = address_of(text);
    EXPECT_EQ(text_of(address), text);
    EXPECT_EQ(address.spare_ports, 0);
    EXPECT_EQ(address.is_loopback, text != "0.0.0.0:8080");
  }
}

TEST(PanelAddress, WhatIsNoneIsRefused) {
  for (const char* text :
       {"8080", "localhost:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:80x", "[::1]"}) {
    EXPECT_FALSE(parse_panel_address(text)) << text;
  }
}

TEST(PanelAddress, WhatFollowsTheNumbersIsRefusedToo) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"127.0.0.1\0.evil:8080"sv, "[::1%eth0\n]:80"sv, "[::1%1111111111111111]:80"sv,
                                      "[::1%]:80"sv, "[::1%-119]:80"sv, " 127.0.0.1:8080"sv}) {
    EXPECT_FALSE(parse_panel_address(text)) << text;
  }
  EXPECT_FALSE(names_loopback("127.0.0.1\0.evil:8080"sv));
  EXPECT_TRUE(names_loopback("[::1]:8080"));
}

TEST(Access, OnLoopbackThePageItselfAndScriptsMayAsk) {
  const Access access(address_of("127.0.0.1:8080"), {});

  EXPECT_TRUE(access.permits_origin(from("127.0.0.1:8080", "http://127.0.0.1:8080")));
  EXPECT_TRUE(access.permits_origin(from("localhost:8080", "http://localhost:8080")));
  EXPECT_TRUE(access.permits_origin(from("127.0.0.1:8080", "")));
  EXPECT_EQ(access.caller_of(from("", ""))->role, security::Role::kAdmin);
}

TEST(Access, PagesOfOtherSitesMayNot) {
  const Access access(address_of("127.0.0.1:8080"), {});

  EXPECT_FALSE(access.permits_origin(from("127.0.0.1:8080", "http://evil.example")));
  EXPECT_FALSE(access.permits_origin(from("127.0.0.1:8080", "http://127.0.0.1:9999")));
  EXPECT_FALSE(access.permits_origin(from("127.0.0.1:8080", "null")));
}

TEST(Access, AForeignNameThatPointsToLoopbackMayNot) {
  const Access access(address_of("127.0.0.1:8080"), {});

  EXPECT_FALSE(access.permits_origin(from("rebound.example:8080", "http://rebound.example:8080")));
  EXPECT_FALSE(access.permits_origin(from("", "")));
}

TEST(Access, BeyondLoopbackNobodyComesInWithoutAToken) {
  const Access access(address_of("0.0.0.0:8080"), tokens_of(std::string("operator alice ") + kToken));

  EXPECT_FALSE(access.caller_of(from("host:8080", "")));
  EXPECT_FALSE(access.caller_of(from("host:8080", "", std::string(kToken) + "x")));
  EXPECT_FALSE(access.caller_of(from("host:8080", "", "abc")));
  const auto caller = access.caller_of(from("host:8080", "", kToken));
  ASSERT_TRUE(caller);
  EXPECT_EQ(*caller, (security::Caller{security::Role::kOperator, "alice"}));
}

TEST(Tokens, ErrorsNameTheLineAndTellNothingOfTheToken) {
  for (const std::string& text : {std::string("# remark\nboss alice ") + kToken, std::string("admin a/b ") + kToken,
                                  std::string("admin alice secretword"), std::string("admin alice ") + kToken + " more",
                                  std::string("\n# nothing\n")}) {
    const auto tokens = Tokens::parse(text, "tokens");
    ASSERT_FALSE(tokens) << text;
    EXPECT_THAT(tokens.error().where, HasSubstr("tokens"));
    EXPECT_THAT(tokens.error().what, Not(HasSubstr("secretword")));
    EXPECT_THAT(tokens.error().what, Not(HasSubstr(kToken)));
  }
}

TEST(Tokens, NewOnesCanBeReadAndDiffer) {
  const auto one = make_token();
  const auto other = make_token();

  ASSERT_TRUE(one && other);
  EXPECT_NE(*one, *other);
  EXPECT_TRUE(tokens_of("observer bob " + *one).find(*one));
}

}  // namespace
}  // namespace kinloop::gateway

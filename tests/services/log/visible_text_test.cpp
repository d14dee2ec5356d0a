// Tests that a line is one line, and that no terminal obeys it.
#include "services/log/visible_text.hpp"

#include <gtest/gtest.h>

namespace kinloop::log {
namespace {

TEST(VisibleText, LeavesTextAsItIs) {
  EXPECT_EQ(visible_text("step 7: \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 \"q\" \\"),
            "step 7: \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 \"q\" \\");
}

TEST(VisibleText, ShowsControlCharacters) {
  EXPECT_EQ(visible_text("a\nb\r\x1b[2J\x7f"), "a\\x0ab\\x0d\\x1b[2J\\x7f");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible_text("\xC2\x9B"), "\\xc2\\x9b") << "the second set of control characters";
  EXPECT_EQ(visible_text("\xE2\x80\xA8"), "\\xe2\\x80\\xa8") << "a line separator";
}

TEST(VisibleText, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(visible_text("\xFF"), "\\xff");
  EXPECT_EQ(visible_text("\xC3"), "\\xc3") << "cut off";
  EXPECT_EQ(visible_text("\xC0\x80"), "\\xc0\\x80") << "overlong";
  EXPECT_EQ(visible_text("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
}

TEST(ShortenedText, IsCutBetweenCharacters) {
  EXPECT_EQ(shortened("1234567", 7), "1234567");
  EXPECT_EQ(shortened("12345678", 7), "1234...");
  EXPECT_EQ(shortened("123\xC3\xA4"
                      "5678",
                      7),
            "123...");
  EXPECT_EQ(shortened("12345", 2), "...");
}

}  // namespace
}  // namespace kinloop::log

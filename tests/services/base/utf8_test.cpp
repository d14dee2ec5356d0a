// Tests what is a character of UTF-8, and that texts are cut between characters.
#include "services/base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kinloop {
namespace {

TEST(Utf8, EveryCharacterOfItsSmallestAndLargestLengthIsDecoded) {
  const struct {
    std::string text;
    std::uint32_t code;
  } cases[] = {
      {std::string(1, '\0'), 0},     {"\x7F", 0x7F},           {"\xC2\x80", 0x80},       {"\xDF\xBF", 0x7FF},
      {"\xE0\xA0\x80", 0x800},       {"\xED\x9F\xBF", 0xD7FF}, {"\xEF\xBF\xBF", 0xFFFF}, {"\xF0\x90\x80\x80", 0x10000},
      {"\xF4\x8F\xBF\xBF", 0x10FFFF}};
  for (const auto& one : cases) {
    const Utf8Character character = first_character(one.text + "x");

    EXPECT_EQ(character.code, one.code);
    EXPECT_EQ(character.length, one.text.size());
  }
}

TEST(Utf8, WhatIsNoCharacterHasNoLength) {
  const std::string overlong[] = {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF"};
  for (const std::string& text : overlong) EXPECT_EQ(first_character(text).length, 0U);
  const std::string surrogates_and_beyond[] = {"\xED\xA0\x80", "\xED\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"};
  for (const std::string& text : surrogates_and_beyond) EXPECT_EQ(first_character(text).length, 0U);
  const std::string broken[] = {"\x80", "\xC3", "\xC3x", "\xE2\x82", "\xE2\x82x", "\xFF"};
  for (const std::string& text : broken) EXPECT_EQ(first_character(text).length, 0U);
}

TEST(Utf8, TextsAreCountedAndCutByCharacters) {
  const std::string text = "aµ€b";  // 1, 2, 3 and 1 bytes

  EXPECT_EQ(character_count(text), 4U);
  EXPECT_EQ(first_characters(text, 2), "aµ");
  EXPECT_EQ(first_characters(text, 9), text);
  EXPECT_EQ(beginning_of(text, 5), "aµ");
  EXPECT_EQ(beginning_of(text, 6), "aµ€");
  EXPECT_EQ(beginning_of(text, 0), "");
  EXPECT_EQ(beginning_of(text, 99), text);
}

}  // namespace
}  // namespace kinloop

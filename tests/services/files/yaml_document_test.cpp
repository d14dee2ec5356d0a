// Tests the YAML wrapper: positions, what it refuses, and that no bytes upset it.
#include "services/files/yaml_document.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "services/base/diagnostics.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop {
namespace {

YamlNode parsed(const std::string& text) {
  Result<YamlDocument, std::vector<Error>> document = parse_yaml(text, "m.yaml");
  EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
  return document ? document->root : YamlNode{};
}

std::string refused(const std::string& text) {
  const Result<YamlDocument, std::vector<Error>> document = parse_yaml(text, "m.yaml");
  return document ? "accepted" : to_text(document.error());
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string whole;
  whole.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) whole += text;
  return whole;
}

TEST(YamlDocument, KeepsEntriesInFileOrder) {
  const YamlNode root = parsed("z: 1\na: two\nm: [3]\n");

  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[0].key, "z");
  EXPECT_EQ(root.entries[1].value.text, "two");
  EXPECT_TRUE(root.entries[2].value.is_sequence());
}

TEST(YamlDocument, KnowsWhereKeysAndValuesStand) {
  const YamlNode root = parsed("# first\nbodies:\n  - name: \"arm\"\n    com: [0, 1]\n");

  const YamlNode& bodies = root.find("bodies")->value;
  const YamlEntry& name = bodies.items[0].entries[0];
  const YamlEntry& com = bodies.items[0].entries[1];
  EXPECT_EQ(root.entries[0].key_position, (SourcePosition{2, 1}));
  EXPECT_EQ(bodies.items[0].position, (SourcePosition{3, 5}));
  EXPECT_EQ(name.value.position, (SourcePosition{3, 11}));
  EXPECT_EQ(com.key_position, (SourcePosition{4, 5}));
  EXPECT_EQ(com.value.items[1].position, (SourcePosition{4, 14}));
}

TEST(YamlDocument, AValueLeftOutIsNullAndStandsAtItsKey) {
  const YamlNode root = parsed("a: 1\nb:\n");

  EXPECT_TRUE(root.entries[1].value.is_null());
  EXPECT_EQ(root.entries[1].value.position, (SourcePosition{2, 1}));
}

TEST(YamlDocument, AQuotedNullIsText) {
  const YamlNode root = parsed("a: null\nb: \"null\"\nc: ''\n");

  EXPECT_TRUE(root.entries[0].value.is_null());
  EXPECT_TRUE(root.entries[1].value.is_scalar());
  EXPECT_TRUE(root.entries[2].value.is_scalar());
  EXPECT_EQ(root.entries[2].value.text, "");
}

TEST(YamlDocument, ReadsTextInEveryStyle) {
  const YamlNode root =
      parsed("a: \"x\\ty\\u00e9 \\\"\"\nb: 'it''s'\nc: |\n  one\n\n  two\nd: >-\n  one\n  two\ne: one\n  two\nf: \"" +
             repeated("\\n", 2000) + "\"\n");

  EXPECT_EQ(root.entries[0].value.text, "x\ty\xC3\xA9 \"");
  EXPECT_EQ(root.entries[1].value.text, "it's");
  EXPECT_EQ(root.entries[2].value.text, "one\n\ntwo\n");
  EXPECT_EQ(root.entries[3].value.text, "one two");
  EXPECT_EQ(root.entries[4].value.text, "one two");
  EXPECT_EQ(root.entries[5].value.text, std::string(2000, '\n'));
}

TEST(YamlDocument, AnOffsetIntoATextIsAPlaceInTheFile) {
  const YamlNode root = parsed("a: \"2 * x\"\nb: 2 * x\n");

  EXPECT_EQ(root.entries[0].value.position_in_text(4), (SourcePosition{1, 9}));
  EXPECT_EQ(root.entries[1].value.position_in_text(4), (SourcePosition{2, 8}));
}

TEST(YamlDocument, AnOffsetIntoAFoldedTextIsThePlaceOfTheText) {
  const YamlNode root = parsed("a: 2 *\n  x\n");

  EXPECT_EQ(root.entries[0].value.position_in_text(4), (SourcePosition{1, 4}));
}

TEST(YamlDocument, ReadsJson) {
  const YamlNode root = parsed("{\n\t\"a\": [1, 2.5e3],\n\t\"b\": {\"c\": \"t\"}\n}\n");

  EXPECT_EQ(root.find("a")->value.items[1].text, "2.5e3");
  EXPECT_EQ(root.find("b")->value.find("c")->value.text, "t");
}

TEST(YamlDocument, ReadsWindowsLineEndsAndAByteOrderMark) {
  const YamlNode root = parsed(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n");

  EXPECT_EQ(root.entries[0].key, "a");
  EXPECT_EQ(root.entries[1].key_position, (SourcePosition{2, 1}));
  EXPECT_EQ(root.entries[1].value.text, "2");
}

TEST(YamlDocument, ReportsASyntaxErrorWithItsPlace) {
  EXPECT_EQ(refused("a: 1\nb: c: d\n"), "m.yaml:2:5: invalid nested block mapping on the same line\n");
}

TEST(YamlDocument, SaysWhereAnUnclosedBracketWasOpened) {
  EXPECT_NE(refused("a: 1\nb: [1, 2\n").find("without a closing bracket, opened on line 2"), std::string::npos);
}

TEST(YamlDocument, ReportsEveryDuplicateKeyWithTheLineOfTheFirst) {
  EXPECT_EQ(refused("a: 1\nb: {c: 1, c: 2}\na: 2\n\"a\": 3\n"),
            "m.yaml:2:11: duplicate key 'c', first on line 2\n"
            "m.yaml:3:1: duplicate key 'a', first on line 1\n"
            "m.yaml:4:1: duplicate key 'a', first on line 1\n");
}

TEST(YamlDocument, RefusesAnchorsAliasesMergeKeysAndTags) {
  EXPECT_EQ(refused("a: &x 1\n"), "m.yaml:1:5: anchors are not supported; use parameters\n");
  EXPECT_NE(refused("a: *x\n").find("aliases are not supported"), std::string::npos);
  EXPECT_EQ(refused("<<: 1\n"), "m.yaml:1:1: merge keys are not supported; use parameters\n");
  EXPECT_EQ(refused("a: !!str 1\n"), "m.yaml:1:4: tags are not supported\n");
}

TEST(YamlDocument, RefusesASecondDocument) {
  EXPECT_EQ(refused("a: 1\n---\nb: 2\n"), "m.yaml:2:1: a second document starts; a file holds only one\n");
}

TEST(YamlDocument, RefusesKeysThatAreNotText) {
  EXPECT_EQ(refused("? [a]\n: 1\n"), "m.yaml:1:3: a key must be a single word, not a list\n");
  EXPECT_NE(refused(": 1\n").find("a key is missing"), std::string::npos);
}

TEST(YamlDocument, RefusesAnEmptyFile) {
  EXPECT_EQ(refused(""), "m.yaml:1:1: the file is empty\n");
  EXPECT_EQ(refused("# only a comment\n"), "m.yaml:1:1: the file is empty\n");
  EXPECT_EQ(refused("---\n"), "m.yaml:1:1: the file is empty\n");
}

TEST(YamlDocument, RefusesBytesThatAreNotText) {
  EXPECT_EQ(refused("a: \xFF\n"), "m.yaml:1:4: the byte 0xFF is not UTF-8 text\n");
  EXPECT_EQ(refused("a: \xC0\x80\n"), "m.yaml:1:4: the byte 0xC0 is not UTF-8 text\n");
  EXPECT_EQ(refused("a: \xED\xA0\x80\n"), "m.yaml:1:4: the byte 0xED is not UTF-8 text\n");
  EXPECT_EQ(refused(std::string("a: \0\n", 5)), "m.yaml:1:4: the character U+0000 is not allowed\n");
  EXPECT_EQ(refused("%\"\n"), "m.yaml:1:1: a line may not start with '%'; directives are not supported\n");
}

TEST(YamlDocument, BoundsTheNesting) {
  const std::string deepest = repeated("[", kMaxYamlDepth) + repeated("]", kMaxYamlDepth);

  EXPECT_TRUE(parse_yaml(deepest, "m.yaml"));
  EXPECT_EQ(refused("[" + deepest + "]"), "m.yaml:1:65: nested deeper than 64 levels\n");
  EXPECT_NE(refused(repeated("[", 1'000'000)), "accepted");
  EXPECT_NE(refused(repeated("{a: ", 1'000'000)), "accepted");
  EXPECT_NE(refused(repeated("- ", 1'000'000)), "accepted");
  EXPECT_NE(refused(repeated("? ", 1'000'000)), "accepted");
}

TEST(YamlDocument, RefusesWhatWouldTakeTheLibraryVeryLong) {
  EXPECT_EQ(refused("a: 1\n" + std::string(1'000'000, '\n')), "m.yaml:201:1: more than 200 blank lines in a row\n");
  EXPECT_EQ(refused(repeated("[", 8'000'000)), "m.yaml:1:1001: more than 1000 brackets are open\n");
}

TEST(YamlDocument, BoundsTheNumberOfValues) {
  EXPECT_NE(refused("[" + repeated("1,", kMaxYamlNodes) + "1]").find("more than 1000000 values"), std::string::npos);
}

TEST(YamlDocument, SurvivesAnyTruncationAndAnyFlippedByte) {
  const std::string good = "a: {b: [1, \"x\\ty\"], c: 'd'}\ne:\n  - |\n    text\n  - >-\n    more\n# end\n";
  std::mt19937 random(7);

  for (std::size_t length = 0; length < good.size(); ++length) (void)parse_yaml(good.substr(0, length), "m.yaml");
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int flips = 0; flips < 3; ++flips) bad[random() % bad.size()] = static_cast<char>(random() % 256);
    (void)parse_yaml(bad, "m.yaml");
  }
}

TEST(YamlFile, AMissingFileIsAnErrorThatNamesIt) {
  const auto document = read_yaml_file("no/such/model.yaml");

  ASSERT_FALSE(document);
  EXPECT_EQ(to_text(document.error()), "no/such/model.yaml: cannot open the file: No such file or directory\n");
}

TEST(YamlFile, ADirectoryIsAnError) {
  const auto document = read_yaml_file(std::filesystem::temp_directory_path());

  ASSERT_FALSE(document);
  EXPECT_NE(document.error()[0].what.find("cannot read the file"), std::string::npos);
}

TEST(YamlFile, AFileThatIsTooLargeIsAnError) {
  const std::filesystem::path path = process_folder() / "too_large.yaml";
  std::ofstream(path) << std::string(kMaxYamlBytes + 1, '#');

  const auto document = read_yaml_file(path);

  ASSERT_FALSE(document);
  EXPECT_EQ(document.error()[0].what, "the file is larger than 16 MiB");
}

}  // namespace
}  // namespace kinloop

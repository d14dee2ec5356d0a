// Tests what lines look like, and that files stay within their bounds.
#include "services/log/sink.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::log {
namespace {

using testing::HasSubstr;

Entry entry_with(const std::string& text, Level level = Level::kWarning) {
  return {std::chrono::system_clock::time_point{} + std::chrono::milliseconds(1500), level, "io", text};
}

class SinkTest : public TemporaryFolder {
 protected:
  std::string on_console(const ConsoleOutput& how, Format format, const Entry& entry) {
    std::ostringstream stream;
    ConsoleOutput console = how;
    console.stream = &stream;
    EXPECT_FALSE(make_console_sink(console, format)->write(entry));
    return stream.str();
  }
  std::string in_file(Format format, const Entry& entry) {
    {
      const auto sink = open_file_sink(folder_ / "a.log", {}, format);
      EXPECT_TRUE(sink);
      EXPECT_FALSE((*sink)->write(entry));
    }
    std::ostringstream text;
    text << std::ifstream(folder_ / "a.log").rdbuf();
    return text.str();
  }
};

TEST_F(SinkTest, AFileTellsWhenHowGraveAndWho) {
  EXPECT_EQ(in_file(Format::kText, entry_with("the record is not complete")),
            "1970-01-01T00:00:01.500000Z warning io: the record is not complete\n");
}

TEST_F(SinkTest, AConsoleShowsTheBareLine) {
  EXPECT_EQ(on_console({}, Format::kText, entry_with("io died (9)")), "io died (9)\n");
}

TEST_F(SinkTest, ColoursTellTheLevel) {
  ConsoleOutput colourful;
  colourful.has_colours = true;

  EXPECT_EQ(on_console(colourful, Format::kText, entry_with("w")), "\033[33mw\033[0m\n");
  EXPECT_EQ(on_console(colourful, Format::kText, entry_with("e", Level::kError)), "\033[1;31me\033[0m\n");
  EXPECT_EQ(on_console(colourful, Format::kText, entry_with("i", Level::kInfo)), "i\n");
}

TEST_F(SinkTest, TheJournalGetsPrioritiesAndNoColours) {
  ConsoleOutput journal;
  journal.has_colours = true;
  journal.is_journal = true;

  EXPECT_EQ(on_console(journal, Format::kText, entry_with("e", Level::kError)), "<3>e\n");
  EXPECT_EQ(on_console(journal, Format::kText, entry_with("w", Level::kWarning)), "<4>w\n");
  EXPECT_EQ(on_console(journal, Format::kText, entry_with("i", Level::kInfo)), "<6>i\n");
  EXPECT_EQ(on_console(journal, Format::kText, entry_with("d", Level::kDebug)), "<7>d\n");
  EXPECT_EQ(on_console(journal, Format::kText, entry_with("t", Level::kTrace)), "<7>t\n");
  EXPECT_THAT(on_console(journal, Format::kJson, entry_with("w")), testing::StartsWith("<4>{"));
}

TEST_F(SinkTest, AConsoleThatIsFullMissesLinesAndSaysSo) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_NONBLOCK), 0);
  std::string fill;
  while (::write(pipe[1], "x", 1) == 1) fill += 'x';
  ConsoleOutput console;
  console.descriptor = pipe[1];
  const auto sink = make_console_sink(console, Format::kText);

  EXPECT_FALSE(sink->write(entry_with("first")));
  EXPECT_FALSE(sink->write(entry_with("second")));
  std::string text(fill.size(), ' ');
  EXPECT_EQ(::read(pipe[0], text.data(), text.size()), static_cast<ssize_t>(fill.size()));
  EXPECT_FALSE(sink->write(entry_with("third")));

  text.resize(static_cast<std::size_t>(::read(pipe[0], text.data(), text.size())));
  EXPECT_EQ(text, "2 lines are missing here\nthird\n");
  for (const int end : pipe) ::close(end);
}

TEST_F(SinkTest, JsonSurvivesHostileText) {
  const std::vector<std::string> texts = {"quote \" backslash \\ slash /", "line\nfeed\r\ttab", "\x1b[2J\x07\x7f",
                                          std::string("zero \0 byte", 11), "\xC3\xA4\xE2\x82\xAC \xC2\x9B"};
  for (const std::string& text : texts) {
    const std::string line = on_console({}, Format::kJson, entry_with(text));

    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    const auto parsed = nlohmann::json::parse(line);
    EXPECT_EQ(parsed["text"], text);
    EXPECT_EQ(parsed["level"], "warning");
    EXPECT_EQ(parsed["part"], "io");
    EXPECT_EQ(parsed["time"], "1970-01-01T00:00:01.500000Z");
  }
}

TEST_F(SinkTest, JsonReplacesBytesThatAreNoUtf8) {
  const std::string line = on_console({}, Format::kJson, entry_with("a\xFF\xC3z"));

  EXPECT_EQ(nlohmann::json::parse(line)["text"], "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); }));
}

TEST_F(SinkTest, TextForgesNoOtherLine) {
  EXPECT_EQ(on_console({}, Format::kText, entry_with("a\n<0>b\x1b[2J")), "a\\x0a<0>b\\x1b[2J\n");
}

TEST_F(SinkTest, FilesStayWithinTheirBounds) {
  const FileBounds bounds{10'000, 3};
  {
    const auto sink = open_file_sink(folder_ / "a.log", bounds, Format::kText);
    ASSERT_TRUE(sink);
    for (int i = 0; i < 2000; ++i) ASSERT_FALSE((*sink)->write(entry_with("line " + std::to_string(i))));
  }

  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
    EXPECT_LE(entry.file_size(), bounds.bytes) << entry.path();
    EXPECT_GT(entry.file_size(), 0U) << entry.path();
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("a.log", "a.1.log", "a.2.log"));
}

TEST_F(SinkTest, AFileThatIsThereIsContinued) {
  in_file(Format::kText, entry_with("first"));

  EXPECT_THAT(in_file(Format::kText, entry_with("second")),
              testing::AllOf(HasSubstr("first\n"), HasSubstr("second\n")));
}

TEST_F(SinkTest, AFullDiskIsAnErrorOfTheFlush) {
  std::filesystem::create_symlink("/dev/full", folder_ / "a.log");
  const auto sink = open_file_sink(folder_ / "a.log", {}, Format::kText);
  ASSERT_TRUE(sink);

  ASSERT_FALSE((*sink)->write(entry_with("lost")));
  const auto error = (*sink)->flush();

  ASSERT_TRUE(error);
  EXPECT_THAT(error->what, HasSubstr("No space left on device"));
}

TEST_F(SinkTest, AFileThatCannotBeMadeIsAnError) {
  std::filesystem::create_directory(folder_ / "a.log");

  const auto sink = open_file_sink(folder_ / "a.log", {}, Format::kText);

  ASSERT_FALSE(sink);
  EXPECT_THAT(sink.error().what, HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace kinloop::log

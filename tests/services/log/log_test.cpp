// Tests the log as a whole: its thread, what it leaves out, what it does when it cannot write.
#include "services/log/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <thread>

#include "services/log/repeat_limit.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::log {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LogTest : public TemporaryFolder {
 protected:
  std::string in_file() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "a.log").rdbuf();
    return text.str();
  }
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  }

  std::ostringstream console_;
};

TEST_F(LogTest, LevelsBelowTheWantedOneAreLeftOut) {
  for (const Level wanted : {Level::kTrace, Level::kDebug, Level::kInfo, Level::kWarning, Level::kError}) {
    std::ostringstream console;
    {
      Log log({wanted, Format::kText}, {&console});
      const Logger logger(log, "io");
      logger.trace("0");
      logger.debug("1");
      logger.info("2");
      logger.warning("3");
      logger.error("4");
    }

    const std::string all = "0\n1\n2\n3\n4\n";
    EXPECT_EQ(console.str(), all.substr(2 * static_cast<std::size_t>(wanted))) << name_of(wanted);
  }
}

TEST_F(LogTest, LinesReachConsoleAndFileInTheirOrder) {
  {
    Log log({}, {&console_});
    log.open_file(folder_ / "a.log");
    const Logger logger(log, "supervisor");
    logger.info("first");
    logger.of("gateway").warning("second");
    logger.error(Error{"--runs", "cannot be made"});
  }

  EXPECT_EQ(console_.str(), "first\nsecond\n--runs: cannot be made\n");
  const std::string text = in_file();
  EXPECT_THAT(text, AllOf(HasSubstr("info supervisor: first\n"), HasSubstr("warning gateway: second\n"),
                          HasSubstr("error supervisor: --runs: cannot be made\n")));
  EXPECT_LT(text.find("first"), text.find("second"));
}

TEST_F(LogTest, WithoutALogALoggerSaysNothing) {
  const Logger logger;

  EXPECT_FALSE(logger.takes(Level::kError));
  logger.error("nobody hears this");
  logger.of("io").error("nor this");
}

TEST_F(LogTest, RepeatsAreLimitedAndCounted) {
  {
    Log log({}, {&console_});
    const Logger logger(log, "io");
    for (int i = 0; i < 500; ++i) logger.warning("late");
    logger.warning("something else");
  }

  const std::string text = console_.str();
  EXPECT_THAT(text, HasSubstr("something else\n"));
  EXPECT_THAT(text, HasSubstr("495 more like this within a second: late\n"));
  EXPECT_EQ(count(text, "\nlate\n") + 1, 5U) << text;
}

TEST_F(LogTest, LongLinesAreCut) {
  {
    Log log({}, {&console_});
    Logger(log, "io").info(std::string(1'000'000, 'x'));
  }

  EXPECT_LT(console_.str().size(), 4096U);
  EXPECT_THAT(console_.str(), HasSubstr("xxx...\n"));
}

TEST_F(LogTest, AFileThatCannotBeMadeIsSaidOnceOnTheConsole) {
  std::filesystem::create_directory(folder_ / "a.log");
  {
    Log log({}, {&console_});
    log.open_file(folder_ / "a.log");
    const Logger logger(log, "io");
    logger.info("first");
    logger.info("second");
  }

  EXPECT_EQ(count(console_.str(), "the log cannot be written, the run goes on without"), 1U);
  EXPECT_THAT(console_.str(), AllOf(HasSubstr("Is a directory"), HasSubstr("first\n"), HasSubstr("second\n")));
}

TEST_F(LogTest, SoIsAFullDisk) {
  std::filesystem::create_symlink("/dev/full", folder_ / "a.log");
  {
    Log log({}, {&console_});
    log.open_file(folder_ / "a.log");
    for (int i = 0; i < 100; ++i)
      Logger(log, "io").info("line of a kind " + std::string(1, static_cast<char>('!' + i)));
  }

  EXPECT_EQ(count(console_.str(), "the log cannot be written"), 1U);
  EXPECT_THAT(console_.str(), HasSubstr("No space left on device"));
}

/// A terminal that is stopped, or a pipe that nobody reads.
class StuckBuffer : public std::streambuf {
 public:
  void let_go() { is_stuck_.store(false); }

 protected:
  std::streamsize xsputn(const char* /*text*/, std::streamsize size) override {
    while (is_stuck_.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return size;
  }
  int_type overflow(int_type character) override { return character; }

 private:
  std::atomic<bool> is_stuck_{true};
};

TEST_F(LogTest, AConsoleThatIsStuckHoldsUpNobodyForLong) {
  // Never destroyed: the thread that is left behind may still run when the process ends.
  static auto& buffer = *new StuckBuffer;
  static auto& stuck = *new std::ostream(&buffer);
  constexpr std::chrono::seconds kNotLong{10};  // on a busy host; for ever, without the bound
  const auto start = std::chrono::steady_clock::now();
  {
    Log log({}, {&stuck});
    for (int i = 0; i < 100'000; ++i) Logger(log, "io").warning(std::string(static_cast<std::size_t>(i % 50), 'x'));
  }

  EXPECT_LT(std::chrono::steady_clock::now() - start, kNotLong);
  buffer.let_go();
}

TEST_F(LogTest, ManyThreadsMaySpeakAtOnce) {
  {
    Log log({}, {&console_});
    log.open_file(folder_ / "a.log");
    std::vector<std::thread> threads;
    for (const char* name : {"a", "b", "c", "d"}) {
      threads.emplace_back([&log, name] {
        for (int i = 0; i < 1000; ++i) Logger(log, name).info(std::string("of ") + name);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  for (const std::string name : {"a", "b", "c", "d"}) {
    EXPECT_GE(count(console_.str(), "of " + name + "\n"), static_cast<std::size_t>(RepeatLimit::kMaxASecond));
  }
}

TEST(LogNames, AreFoundAgain) {
  for (const char* name : {"trace", "debug", "info", "warning", "error"}) EXPECT_EQ(name_of(*find_level(name)), name);
  for (const char* name : {"text", "json"}) EXPECT_EQ(name_of(*find_format(name)), name);
  EXPECT_THAT(find_level("loud").error().what, HasSubstr("trace, debug, info, warning, error"));
}

}  // namespace
}  // namespace kinloop::log

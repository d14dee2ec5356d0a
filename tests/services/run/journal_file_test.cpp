// Tests that a journal comes back as it was written, and what becomes of one that is damaged.
#include "services/run/journal_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/random.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

class JournalFile : public TemporaryFolder {
 protected:
  std::filesystem::path path() const { return folder_ / "journal"; }

  void write_entries(std::size_t actuators, std::uint64_t count) const {
    auto writer = JournalWriter::create(path(), actuators);
    ASSERT_TRUE(writer);
    for (std::uint64_t i = 1; i <= count; ++i) {
      rt::JournalEntry entry;
      entry.step = i;
      entry.state_hash = 1000 + i;
      entry.input.level = static_cast<std::int32_t>(i % 3);
      entry.input.frozen = static_cast<std::uint32_t>(i % 2);
      entry.input.command[actuators - 1] = 0.5 * static_cast<double>(i);
      writer->write(entry);
    }
    ASSERT_TRUE(writer->flush());
  }
};

TEST_F(JournalFile, ComesBackAsItWasWritten) {
  write_entries(3, 5);

  const auto read = read_journal(path(), 3);

  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 5U);
  const rt::JournalEntry& last = read->back();
  EXPECT_EQ(last.step, 5U);
  EXPECT_EQ(last.state_hash, 1005U);
  EXPECT_EQ(last.input.level, 2);
  EXPECT_EQ(last.input.frozen, 1U);
  EXPECT_EQ(last.input.count, 3U);
  EXPECT_EQ(last.input.command[2], 2.5);
}

TEST_F(JournalFile, CutOffItGivesTheEntriesThatAreWhole) {
  write_entries(1, 5);
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) - 1);

  const auto read = read_journal(path(), 1);

  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 4U);
}

TEST_F(JournalFile, OfAnotherRigIsRefused) {
  write_entries(2, 1);

  const auto read = read_journal(path(), 1);

  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find("2 actuators"), std::string::npos);
}

TEST_F(JournalFile, AnyBytesAreReadOrRefused) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = round % 2 == 0 ? "KLJOURN1" : "";
    const int length = round * 3;
    for (int i = 0; i < length; ++i) bytes += static_cast<char>(random.below(256));
    write("journal", bytes);

    const auto read = read_journal(path(), 1);

    EXPECT_TRUE(!read || read->size() < bytes.size());
  }
}

}  // namespace
}  // namespace kinloop::run

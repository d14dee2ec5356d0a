// Tests that MCAP files are what the format says: walked byte by byte, with checksums of another making.
#include "services/record/mcap_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "services/record/byte_cursor.hpp"
#include "tests/services/record/bitwise_crc32.hpp"
#include "tests/services/record/sample_record.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::record {
namespace {

using testing::HasSubstr;

struct WalkedRecord {
  McapOpcode opcode{};
  std::size_t offset = 0;
  std::string_view content;
};

/// The records between the two magics.
std::vector<WalkedRecord> walk(std::string_view file) {
  EXPECT_TRUE(file.starts_with(kMcapMagic));
  EXPECT_TRUE(file.ends_with(kMcapMagic));
  std::vector<WalkedRecord> records;
  ByteCursor cursor(file.substr(0, file.size() - kMcapMagic.size()));
  cursor.take_bytes(kMcapMagic.size());
  while (!cursor.rest().empty() && cursor.is_good()) {
    WalkedRecord record;
    record.offset = cursor.position();
    record.opcode = static_cast<McapOpcode>(cursor.take<std::uint8_t>());
    record.content = cursor.take_bytes(cursor.take<std::uint64_t>());
    records.push_back(record);
  }
  EXPECT_TRUE(cursor.is_good());
  return records;
}

std::vector<WalkedRecord> of_kind(const std::vector<WalkedRecord>& records, McapOpcode opcode) {
  std::vector<WalkedRecord> chosen;
  for (const WalkedRecord& record : records) {
    if (record.opcode == opcode) chosen.push_back(record);
  }
  return chosen;
}

class McapWriterTest : public TemporaryFolder {
 protected:
  McapWriter begin(const std::string& name = "a.mcap") {
    Result<McapWriter> writer = McapWriter::create(folder_ / name, "kinloop test");
    require(writer.has_value(), "the file can be made");
    EXPECT_EQ(*writer->add_schema({"S", "protobuf", "data"}), 1);
    EXPECT_EQ(*writer->add_channel({1, "first", "protobuf", {{"k", "v"}}}), 1);
    EXPECT_EQ(*writer->add_channel({0, "second", "raw", {}}), 2);
    return std::move(writer).value();
  }
  static void add(McapWriter& writer, std::uint16_t channel, std::uint64_t time_ns, std::string_view data) {
    char* const room = writer.add_message({channel, 3, time_ns, time_ns + 1}, data.size());
    ASSERT_NE(room, nullptr);
    std::copy(data.begin(), data.end(), room);
  }
  std::string file(const std::string& name = "a.mcap") const { return bytes_of(folder_ / name); }
};

TEST_F(McapWriterTest, RecordsStandInTheOrderOfTheFormat) {
  McapWriter writer = begin();
  add(writer, 1, 10, "x");
  EXPECT_TRUE(writer.add_attachment({1, 2, "n", "text/plain", "abc"}).has_value());
  EXPECT_TRUE(writer.add_metadata({"m", {{"a", "b"}}}).has_value());

  ASSERT_TRUE(writer.finish().has_value());

  std::vector<McapOpcode> opcodes;
  const std::string bytes = file();
  for (const WalkedRecord& record : walk(bytes)) opcodes.push_back(record.opcode);
  using enum McapOpcode;
  EXPECT_EQ(opcodes, (std::vector{kHeader,        kSchema,        kChannel,       kChannel,       kAttachment,
                                  kMetadata,      kChunk,         kMessageIndex,  kDataEnd,       kSchema,
                                  kChannel,       kChannel,       kStatistics,    kChunkIndex,    kAttachmentIndex,
                                  kMetadataIndex, kSummaryOffset, kSummaryOffset, kSummaryOffset, kSummaryOffset,
                                  kSummaryOffset, kSummaryOffset, kFooter}));
}

TEST_F(McapWriterTest, EveryChecksumIsThatOfTheDefinition) {
  write_sample(folder_ / "b.mcap", 20, 7);

  const std::string bytes = file("b.mcap");
  const std::vector<WalkedRecord> records = walk(bytes);
  for (const WalkedRecord& chunk : of_kind(records, McapOpcode::kChunk)) {
    ByteCursor cursor(chunk.content);
    cursor.take_bytes(24);
    const auto crc = cursor.take<std::uint32_t>();
    cursor.take_text();
    const auto size = cursor.take<std::uint64_t>();
    EXPECT_EQ(size, cursor.rest().size());
    EXPECT_EQ(crc, bitwise_crc32(cursor.rest()));
  }
  for (const WalkedRecord& attachment : of_kind(records, McapOpcode::kAttachment)) {
    const std::size_t covered = attachment.content.size() - 4;
    EXPECT_EQ(ByteCursor(attachment.content.substr(covered)).take<std::uint32_t>(),
              bitwise_crc32(attachment.content.substr(0, covered)));
  }
  const WalkedRecord data_end = of_kind(records, McapOpcode::kDataEnd).at(0);
  EXPECT_EQ(ByteCursor(data_end.content).take<std::uint32_t>(),
            bitwise_crc32(std::string_view(bytes).substr(0, data_end.offset)));
  ByteCursor footer(records.back().content);
  const auto start = footer.take<std::uint64_t>();
  footer.take<std::uint64_t>();
  const std::size_t crc_place = bytes.size() - kMcapMagic.size() - 4;
  EXPECT_EQ(footer.take<std::uint32_t>(), bitwise_crc32(std::string_view(bytes).substr(start, crc_place - start)));
}

TEST_F(McapWriterTest, IndexesPointAtWhatTheyName) {
  McapWriter writer = begin();
  for (std::uint64_t i = 0; i < 9; ++i) {
    add(writer, i % 3 == 0 ? 2 : 1, 100 + i, std::string(i, 'x'));
    if (i == 4) writer.flush();
  }

  ASSERT_TRUE(writer.finish().has_value());

  const std::string bytes = file();
  const std::vector<WalkedRecord> indexes = of_kind(walk(bytes), McapOpcode::kChunkIndex);
  ASSERT_EQ(indexes.size(), 2U);
  std::size_t messages = 0;
  for (const WalkedRecord& index : indexes) {
    ByteCursor cursor(index.content);
    cursor.take_bytes(16);
    const auto chunk = cursor.take<std::uint64_t>();
    const auto chunk_length = cursor.take<std::uint64_t>();
    EXPECT_EQ(bytes[chunk], '\x06');
    EXPECT_EQ(ByteCursor(std::string_view(bytes).substr(chunk + 1)).take<std::uint64_t>(), chunk_length - 9);
    const std::size_t records =
        chunk + chunk_length - ByteCursor(index.content.substr(index.content.size() - 8)).take<std::uint64_t>();
    ByteCursor places(cursor.take_text());
    while (!places.rest().empty()) {
      const auto channel = places.take<std::uint16_t>();
      ByteCursor message_index(std::string_view(bytes).substr(places.take<std::uint64_t>()));
      EXPECT_EQ(message_index.take<std::uint8_t>(), 7);
      message_index.take<std::uint64_t>();
      EXPECT_EQ(message_index.take<std::uint16_t>(), channel);
      ByteCursor entries(message_index.take_text());
      while (!entries.rest().empty()) {
        const auto time_ns = entries.take<std::uint64_t>();
        ByteCursor message(std::string_view(bytes).substr(records + entries.take<std::uint64_t>()));
        EXPECT_EQ(message.take<std::uint8_t>(), 5);
        message.take<std::uint64_t>();
        EXPECT_EQ(message.take<std::uint16_t>(), channel);
        message.take<std::uint32_t>();
        EXPECT_EQ(message.take<std::uint64_t>(), time_ns);
        ++messages;
      }
    }
  }
  EXPECT_EQ(messages, 9U);
}

TEST_F(McapWriterTest, SummaryOffsetsCoverTheSummary) {
  write_sample(folder_ / "b.mcap", 5, 2);

  const std::string bytes = file("b.mcap");
  const std::vector<WalkedRecord> records = walk(bytes);
  ByteCursor footer(records.back().content);
  auto end_of_group = footer.take<std::uint64_t>();
  const auto offsets_start = footer.take<std::uint64_t>();
  for (const WalkedRecord& group : of_kind(records, McapOpcode::kSummaryOffset)) {
    ByteCursor cursor(group.content);
    const auto opcode = cursor.take<std::uint8_t>();
    EXPECT_EQ(cursor.take<std::uint64_t>(), end_of_group);
    EXPECT_EQ(static_cast<std::uint8_t>(bytes[end_of_group]), opcode);
    end_of_group += cursor.take<std::uint64_t>();
  }
  EXPECT_EQ(end_of_group, offsets_start);
}

TEST_F(McapWriterTest, AChunkIsWrittenBeforeItGrowsBeyondItsBound) {
  McapWriter writer = begin();
  const std::string data(1000, 'x');

  while (writer.counters().chunks < 3) add(writer, 1, 1, data);

  ASSERT_TRUE(writer.finish().has_value());
  const std::string bytes = file();
  for (const WalkedRecord& chunk : of_kind(walk(bytes), McapOpcode::kChunk)) {
    EXPECT_LE(chunk.content.size(), McapWriter::kChunkBytes + 64);
  }
}

TEST_F(McapWriterTest, ALongMessageGetsAChunkOfItsOwn) {
  McapWriter writer = begin();
  add(writer, 1, 1, "short");
  add(writer, 1, 2, std::string(2 * McapWriter::kChunkBytes, 'x'));
  add(writer, 1, 3, "short");

  ASSERT_TRUE(writer.finish().has_value());

  EXPECT_EQ(writer.counters().chunks, 3U);
  EXPECT_EQ(writer.counters().messages, 3U);
}

TEST_F(McapWriterTest, AMessageBeyondAllBoundsIsDroppedAndCounted) {
  McapWriter writer = begin();

  EXPECT_EQ(writer.add_message({1, 1, 1, 1}, kLargestMcapMessage + 1), nullptr);

  EXPECT_EQ(writer.counters().dropped, 1U);
  EXPECT_THAT(writer.trouble(), HasSubstr("too large"));
  EXPECT_TRUE(writer.finish().has_value());
}

TEST_F(McapWriterTest, AFileThatIsThereIsNeverWrittenOver) {
  write("a.mcap", "precious");

  const Result<McapWriter> writer = McapWriter::create(folder_ / "a.mcap", "x");

  ASSERT_FALSE(writer.has_value());
  EXPECT_THAT(writer.error().what, HasSubstr("there already"));
  EXPECT_EQ(file(), "precious");
}

TEST_F(McapWriterTest, AFileWithoutMessagesIsWhole) {
  ASSERT_TRUE(begin().finish().has_value());

  const std::string bytes = file();
  EXPECT_TRUE(of_kind(walk(bytes), McapOpcode::kChunk).empty());
}

TEST_F(McapWriterTest, NoMessageAllocates) {
  McapWriter writer = begin();
  const std::string data(100, 'x');

  const AllocationCount allocations;
  while (writer.counters().chunks < 3) add(writer, 1, 1, data);
  while (writer.counters().chunks < 5) add(writer, 2, 1, {});
  const std::int64_t counted = allocations.value();

  EXPECT_EQ(counted, 0);
}

}  // namespace
}  // namespace kinloop::record

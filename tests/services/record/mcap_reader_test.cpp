// Tests the reading of whole, cut, damaged and foreign MCAP files.
#include "services/record/mcap_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "services/record/byte_buffer.hpp"
#include "services/record/crc32.hpp"
#include "services/record/mcap_writer.hpp"
#include "tests/services/record/sample_record.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// All that was read of a file, as texts.
struct Reading {
  std::vector<std::string> items;
  std::optional<std::uint64_t> cut_off;
  std::optional<Error> error;
};

Reading read_all(const std::filesystem::path& path) {
  Reading reading;
  Result<McapReader> reader = McapReader::open(path);
  if (!reader) {
    reading.error = reader.error();
    return reading;
  }
  for (;;) {
    const Result<McapItem> item = reader->next();
    if (!item) {
      reading.error = item.error();
      return reading;
    }
    if (*item == McapItem::kEnd) break;
    if (*item == McapItem::kAttachment) reading.items.push_back(reader->attachment().name + reader->attachment().data);
    if (*item == McapItem::kMetadata) reading.items.push_back(reader->metadata().name);
    if (*item != McapItem::kMessage) continue;
    const McapMessage& m = reader->message();
    reading.items.push_back(m.channel->topic + " " + std::to_string(m.sequence) + " " + std::to_string(m.log_time_ns) +
                            " " + std::string(m.data));
  }
  reading.cut_off = reader->cut_off();
  return reading;
}

class McapReaderTest : public TemporaryFolder {
 protected:
  Reading reading_of(std::string_view bytes) const {
    put_bytes(folder_ / "t.mcap", bytes);
    return read_all(folder_ / "t.mcap");
  }
  /// A file with all kinds of records, below two KiB.
  std::string sample() const {
    Result<McapWriter> writer = McapWriter::create(folder_ / "s.mcap", "kinloop test");
    EXPECT_TRUE(writer->add_schema({"S", "protobuf", "data"}).has_value());
    EXPECT_TRUE(writer->add_channel({1, "first", "protobuf", {{"key", "value"}}}).has_value());
    EXPECT_TRUE(writer->add_channel({0, "second", "raw", {}}).has_value());
    EXPECT_TRUE(writer->add_attachment({1, 2, "a", "text/plain", "attached"}).has_value());
    EXPECT_TRUE(writer->add_metadata({"m", {{"a", "b"}}}).has_value());
    for (std::uint16_t i = 0; i < 12; ++i) {
      const auto channel = static_cast<std::uint16_t>(i % 3 == 0 ? 2 : 1);
      std::memset(writer->add_message({channel, i, 100U + i, 100U + i}, i), 'x', i);
      if (i % 5 == 4) writer->flush();
    }
    EXPECT_TRUE(writer->add_metadata({"end", {}}).has_value());
    EXPECT_TRUE(writer->finish().has_value());
    return bytes_of(folder_ / "s.mcap");
  }
};

/// A file of one chunk with these records in it, without an end.
std::string file_with(std::string_view records, std::string_view compression = "") {
  ByteBuffer out;
  out.put_bytes(kMcapMagic);
  const std::size_t header = out.begin_record(McapOpcode::kHeader);
  out.put_text("");
  out.put_text("somebody");
  out.end_record(header);
  const std::size_t chunk = out.begin_record(McapOpcode::kChunk);
  out.put(std::uint64_t{0});
  out.put(std::uint64_t{0});
  out.put(static_cast<std::uint64_t>(records.size()));
  out.put(crc32(records));
  out.put_text(compression);
  out.put(static_cast<std::uint64_t>(records.size()));
  out.put_bytes(records);
  out.end_record(chunk);
  return std::string(out.view());
}

std::string record_of(std::uint8_t opcode, std::string_view content) {
  ByteBuffer out;
  out.put(opcode);
  out.put(static_cast<std::uint64_t>(content.size()));
  out.put_bytes(content);
  return std::string(out.view());
}

TEST_F(McapReaderTest, GivesBackWhatWasWritten) {
  Result<McapWriter> writer = McapWriter::create(folder_ / "a.mcap", "kinloop 1");
  ASSERT_TRUE(writer.has_value());
  const McapSchema schema{"S", "protobuf", std::string("\0\1", 2)};
  const McapChannel channel{1, "topic", "protobuf", {{"key", "value"}}};
  const McapAttachment attachment{4, 5, "name", "text/plain", "bytes"};
  const McapMetadata metadata{"m", {{"a", "1"}, {"b", ""}}};
  EXPECT_TRUE(writer->add_schema(schema).has_value());
  EXPECT_TRUE(writer->add_channel(channel).has_value());
  EXPECT_TRUE(writer->add_attachment(attachment).has_value());
  EXPECT_TRUE(writer->add_metadata(metadata).has_value());
  *writer->add_message({1, 7, 8, 9}, 1) = 'x';
  writer->add_message({1, 8, 9, 10}, 0);
  EXPECT_TRUE(writer->finish().has_value());

  Result<McapReader> reader = McapReader::open(folder_ / "a.mcap");

  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ(*reader->next(), McapItem::kAttachment);
  EXPECT_EQ(reader->attachment(), attachment);
  EXPECT_EQ(*reader->next(), McapItem::kMetadata);
  EXPECT_EQ(reader->metadata(), metadata);
  EXPECT_EQ(*reader->next(), McapItem::kMessage);
  EXPECT_EQ(*reader->message().channel, channel);
  EXPECT_EQ(reader->schemas().at(1), schema);
  EXPECT_EQ(reader->message().sequence, 7U);
  EXPECT_EQ(reader->message().log_time_ns, 8U);
  EXPECT_EQ(reader->message().publish_time_ns, 9U);
  EXPECT_EQ(reader->message().data, "x");
  EXPECT_EQ(*reader->next(), McapItem::kMessage);
  EXPECT_EQ(reader->message().data, "");
  EXPECT_EQ(*reader->next(), McapItem::kEnd);
  EXPECT_EQ(*reader->next(), McapItem::kEnd);
  EXPECT_FALSE(reader->cut_off().has_value());
  EXPECT_EQ(reader->library(), "kinloop 1");
}

TEST_F(McapReaderTest, AFileCutAtAnyByteGivesAllThatIsBeforeTheCut) {
  const std::string whole = sample();
  const Reading all = reading_of(whole);
  ASSERT_FALSE(all.error.has_value());
  ASSERT_FALSE(all.cut_off.has_value());

  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Reading part = reading_of(std::string_view(whole).substr(0, size));

    ASSERT_FALSE(part.error.has_value()) << size << " " << part.error->what;
    ASSERT_TRUE(part.cut_off.has_value()) << size;
    ASSERT_LE(*part.cut_off, size);
    ASSERT_LE(part.items.size(), all.items.size());
    ASSERT_TRUE(std::equal(part.items.begin(), part.items.end(), all.items.begin())) << size;
    ASSERT_GE(part.items.size(), before) << size;
    before = part.items.size();
  }
  EXPECT_EQ(before, all.items.size());
}

TEST_F(McapReaderTest, AnyChangedByteIsFound) {
  const std::string whole = sample();
  const Reading all = reading_of(whole);

  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    const Reading reading = reading_of(changed);

    EXPECT_TRUE(reading.error.has_value() || reading.cut_off.has_value()) << at;
    if (reading.error) {
      EXPECT_THAT(reading.error->where, HasSubstr("t.mcap: byte ")) << at;
    }
    EXPECT_LE(reading.items.size(), all.items.size());
  }
}

TEST_F(McapReaderTest, SeveralChangedBytesNeverCrashIt) {
  const std::string whole = sample();
  std::mt19937 random(3);

  for (int i = 0; i < 3000; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 5; ++k) changed[random() % changed.size()] = static_cast<char>(random());
    changed.resize(changed.size() - random() % 3 * (random() % changed.size()) / 3);
    (void)reading_of(changed);
  }
}

TEST_F(McapReaderTest, ZerosAtTheEndAreACut) {
  const std::string whole = sample();
  const std::size_t chunk_end = whole.find(std::string("\x0F\4\0\0\0\0\0\0\0", 9));  // the end of the data
  ASSERT_NE(chunk_end, std::string::npos);

  const Reading reading = reading_of(whole.substr(0, chunk_end) + std::string(200'000, '\0'));

  EXPECT_FALSE(reading.error.has_value());
  EXPECT_EQ(reading.cut_off, chunk_end);
  EXPECT_EQ(reading.items.size(), reading_of(whole).items.size());
}

TEST_F(McapReaderTest, WhatIsNoMcapFileIsRefused) {
  EXPECT_THAT(reading_of("t,q\n0,1\n").error->what, HasSubstr("no MCAP file"));
  EXPECT_THAT(read_all(folder_ / "none").error->what, HasSubstr("No such file"));
  EXPECT_THAT(read_all(folder_).error->what, HasSubstr("directory"));
  EXPECT_THAT(read_all("/dev/zero").error->what, HasSubstr("no regular file"));
}

TEST_F(McapReaderTest, CompressedChunksAreRefusedByName) {
  const Reading reading = reading_of(file_with("abc", "zstd"));

  ASSERT_TRUE(reading.error.has_value());
  EXPECT_THAT(reading.error->what, HasSubstr("'zstd'"));
}

TEST_F(McapReaderTest, RecordsOfUnknownKindsArePassedOver) {
  const std::string channel = record_of(4, std::string("\1\0\0\0\1\0\0\0c\0\0\0\0\0\0\0\0", 17));
  const std::string message = record_of(5, std::string("\1\0", 2) + std::string(20, '\0') + "data");

  const Reading reading = reading_of(file_with(channel + record_of(0x90, "?") + message) + record_of(0x91, "??"));

  EXPECT_FALSE(reading.error.has_value());
  EXPECT_THAT(reading.items, ElementsAre("c 0 0 data"));
}

TEST_F(McapReaderTest, AMessageOfNoChannelIsAnError) {
  const Reading reading = reading_of(file_with(record_of(5, std::string(22, '\0'))));

  ASSERT_TRUE(reading.error.has_value());
  EXPECT_THAT(reading.error->what, HasSubstr("channel that was not described"));
}

TEST_F(McapReaderTest, ClaimsBeyondAllBoundsAreErrors) {
  const std::string head = file_with("");
  const std::string huge(8, '\x7F');

  EXPECT_THAT(reading_of(head + "\x06" + huge).error->what, HasSubstr("claims"));
  EXPECT_THAT(reading_of(head + "\x09" + huge).error->what, HasSubstr("claims"));
  EXPECT_THAT(reading_of(head + "\x90" + huge).error->what, HasSubstr("beyond the end"));
}

}  // namespace
}  // namespace kinloop::record

// Tests records as a whole: what goes in comes out, and a full disk costs messages, never the file.
#include "services/record/record_writer.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>

#include "services/record/record_reader.hpp"
#include "tests/services/record/sample_record.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::record {
namespace {

using google::protobuf::util::MessageDifferencer;
using testing::ElementsAre;
using testing::HasSubstr;

/// Files can be no larger for as long as this lives: what a full disk does, without one.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    set(bytes);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  void set(rlim_t bytes) const {
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    require(setrlimit(RLIMIT_FSIZE, &limit) == 0, "a smaller limit is always granted");
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// The steps of all inputs.
std::vector<std::uint64_t> steps_of(RecordReader& reader) {
  std::vector<std::uint64_t> steps;
  reader.want({RecordChannel::kInputs});
  for (;;) {
    const Result<const RecordItem*> item = reader.next();
    if (!item) {
      ADD_FAILURE() << item.error().where << ": " << item.error().what;
      return steps;
    }
    if (*item == nullptr) return steps;
    steps.push_back(std::get<const v1::StepInput*>((*item)->message)->step());
  }
}

/// Null where there is none of that name.
const McapAttachment* attachment_of(const RecordReader& reader, std::string_view name) {
  for (const McapAttachment& attachment : reader.attachments()) {
    if (attachment.name == name) return &attachment;
  }
  return nullptr;
}

class RecordWriterTest : public TemporaryFolder {
 protected:
  RecordReader open(const std::string& name = "a.mcap") const {
    Result<RecordReader> reader = RecordReader::open(folder_ / name);
    if (!reader) ADD_FAILURE() << reader.error().where << ": " << reader.error().what;
    return std::move(reader).value();
  }
};

TEST_F(RecordWriterTest, FactsAndFilesComeBack) {
  write_sample(folder_ / "a.mcap", 3, 2);

  const RecordReader reader = open();

  EXPECT_TRUE(MessageDifferencer::Equals(reader.facts().description, sample_facts().description));
  EXPECT_EQ(reader.facts().commit, "0123456789ab");
  EXPECT_EQ(reader.facts().host, "bench");
  EXPECT_EQ(reader.facts().start.wall_ns, kSampleStart.wall_ns);
  EXPECT_EQ(reader.facts().start.monotonic_ns, kSampleStart.monotonic_ns);
  ASSERT_NE(attachment_of(reader, "rig.yaml"), nullptr);
  EXPECT_EQ(attachment_of(reader, "rig.yaml")->data, "rig: four_bar\n");
  EXPECT_EQ(attachment_of(reader, "model.json")->media_type, "application/json");
  EXPECT_EQ(attachment_of(reader, "other"), nullptr);
}

TEST_F(RecordWriterTest, MessagesOfAllChannelsComeBackInOrder) {
  write_sample(folder_ / "a.mcap", 5, 2);
  RecordReader reader = open();

  std::vector<std::size_t> channels;
  for (;;) {
    const auto item = reader.next();
    ASSERT_TRUE(item.has_value());
    if (*item == nullptr) break;
    channels.push_back(static_cast<std::size_t>((*item)->channel));
    const std::uint64_t step = (*item)->sequence;
    EXPECT_EQ((*item)->time_ns, static_cast<std::uint64_t>(kSampleStart.wall_ns) + step * kSamplePeriod_ns);
    if (const auto* frame = std::get_if<const v1::SensorFrame*>(&(*item)->message)) {
      EXPECT_TRUE(MessageDifferencer::Equals(**frame, sample_frame(step)));
    }
    if (const auto* input = std::get_if<const v1::StepInput*>(&(*item)->message)) {
      EXPECT_TRUE(MessageDifferencer::Equals(**input, sample_input(step)));
    }
    if (const auto* snapshot = std::get_if<const v1::RecordedSnapshot*>(&(*item)->message)) {
      EXPECT_TRUE(MessageDifferencer::Equals(**snapshot, sample_snapshot()));
    }
  }

  EXPECT_THAT(channels, ElementsAre(5, 4, 3, 2, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0));
  ASSERT_TRUE(reader.end().has_value());
  EXPECT_EQ(reader.end()->messages, 14U);
  EXPECT_EQ(reader.end()->dropped, 0U);
  EXPECT_FALSE(reader.cut_off().has_value());
}

TEST_F(RecordWriterTest, EverySchemaCanBeBuiltFromTheFileAlone) {
  write_sample(folder_ / "a.mcap", 1, 1);
  Result<McapReader> mcap = McapReader::open(folder_ / "a.mcap");
  ASSERT_TRUE(mcap.has_value());
  while (*mcap->next() != McapItem::kEnd) continue;

  ASSERT_EQ(mcap->channels().size(), kRecordChannels.size());
  for (const auto& [id, channel] : mcap->channels()) {
    const McapSchema& schema = mcap->schemas().at(channel.schema);
    google::protobuf::FileDescriptorSet files;
    ASSERT_TRUE(files.ParseFromString(schema.data));
    google::protobuf::DescriptorPool pool;
    for (const auto& file : files.file()) ASSERT_NE(pool.BuildFile(file), nullptr) << file.name();
    const auto* message = pool.FindMessageTypeByName(schema.name);
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(message->DebugString(), message_of(*find_channel(channel.topic)).DebugString());
  }
}

TEST_F(RecordWriterTest, AKilledWriterLosesOnlyWhatWasNotFlushed) {
  const RecordWriter writer = begin_sample(folder_ / "a.mcap", 7, 5);
  std::filesystem::copy_file(folder_ / "a.mcap", folder_ / "killed.mcap");

  RecordReader reader = open("killed.mcap");

  EXPECT_THAT(steps_of(reader), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(reader.cut_off().has_value());
  EXPECT_FALSE(reader.end().has_value());
}

TEST_F(RecordWriterTest, ARecordCutAnywhereGivesTheStepsBeforeTheCut) {
  write_sample(folder_ / "a.mcap", 40, 15);

  std::size_t most = 41;
  for (auto size = std::filesystem::file_size(folder_ / "a.mcap"); size > 50; size -= 29) {
    std::filesystem::resize_file(folder_ / "a.mcap", size);
    Result<RecordReader> reader = RecordReader::open(folder_ / "a.mcap");
    if (!reader) {
      EXPECT_THAT(reader.error().what, HasSubstr("cut off before"));
      continue;
    }
    const std::vector<std::uint64_t> steps = steps_of(*reader);

    EXPECT_LE(steps.size(), most);
    most = steps.size();
    for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], i + 1);
  }
  EXPECT_EQ(most, 0U);
}

TEST_F(RecordWriterTest, AWriterThatGoesAwayFinishes) {
  { const RecordWriter writer = begin_sample(folder_ / "a.mcap", 7, 5); }

  RecordReader reader = open();

  EXPECT_EQ(steps_of(reader).size(), 7U);
  EXPECT_TRUE(reader.end().has_value());
}

TEST_F(RecordWriterTest, AFullDiskCostsMessagesUntilThereIsRoomAgain) {
  RecordWriter writer = begin_sample(folder_ / "a.mcap", 5, 5);
  const FileSizeLimit limit(writer.counters().bytes + 300);

  std::uint64_t step = 6;
  for (; step <= 15; ++step) writer.write(sample_input(step), sample_time(step));
  EXPECT_FALSE(writer.flush());
  const RecordCounters in_trouble = writer.counters();
  RecordReader meanwhile = open();
  EXPECT_THAT(steps_of(meanwhile), ElementsAre(1, 2, 3, 4, 5));
  limit.set(RLIM_INFINITY);
  for (; step <= 17; ++step) writer.write(sample_input(step), sample_time(step));
  EXPECT_TRUE(writer.finish().has_value());

  EXPECT_EQ(in_trouble.dropped, 10U);
  EXPECT_THAT(in_trouble.trouble, HasSubstr("File too large"));
  RecordReader reader = open();
  EXPECT_THAT(steps_of(reader), ElementsAre(1, 2, 3, 4, 5, 16, 17));
  EXPECT_FALSE(reader.cut_off().has_value());
  EXPECT_EQ(reader.end()->dropped, 10U);
  EXPECT_THAT(reader.end()->trouble, HasSubstr("File too large"));
}

TEST_F(RecordWriterTest, ADiskFullAtTheEndCostsTheSummaryOnly) {
  RecordWriter writer = begin_sample(folder_ / "a.mcap", 5, 5);
  const FileSizeLimit limit(writer.counters().bytes + 10);

  const Result<bool> finished = writer.finish();

  ASSERT_FALSE(finished.has_value());
  EXPECT_THAT(finished.error().what, HasSubstr("File too large"));
  RecordReader reader = open();
  EXPECT_THAT(steps_of(reader), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(reader.cut_off(), reader.file_bytes());
}

TEST_F(RecordWriterTest, ADiskFullAtTheBeginningLeavesNoFile) {
  for (const rlim_t bytes : {5, 100, 2000}) {
    const FileSizeLimit limit(bytes);

    const auto writer = RecordWriter::begin(folder_ / "a.mcap", sample_facts(), sample_files());

    EXPECT_FALSE(writer.has_value());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.mcap"));
  }
}

TEST_F(RecordWriterTest, WhatWasLostOnTheWayCountsAsDropped) {
  RecordWriter writer = begin_sample(folder_ / "a.mcap", 2, 1);

  writer.add_lost(3, "the ring was full");

  EXPECT_EQ(writer.counters().dropped, 3U);
  EXPECT_EQ(writer.counters().messages, 8U);
  EXPECT_EQ(writer.counters().trouble, "the ring was full");
}

TEST_F(RecordWriterTest, NoMessageAllocates) {
  RecordWriter writer = begin_sample(folder_ / "a.mcap", 1, 1);
  const v1::SensorFrame frame = sample_frame(1);
  const v1::StepInput input = sample_input(1);

  const AllocationCount allocations;
  for (std::uint64_t step = 1; step < 30'000; ++step) {
    writer.write(frame, sample_time(step));
    writer.write(input, sample_time(step));
    if (step % 1000 == 0) writer.flush();
  }
  const std::int64_t counted = allocations.value();

  EXPECT_EQ(counted, 0);
}

TEST_F(RecordWriterTest, OtherMcapFilesAreNoRecords) {
  Result<McapWriter> mcap = McapWriter::create(folder_ / "a.mcap", "x");
  ASSERT_TRUE(mcap->finish().has_value());

  const auto reader = RecordReader::open(folder_ / "a.mcap");

  ASSERT_FALSE(reader.has_value());
  EXPECT_THAT(reader.error().what, HasSubstr("no record of a run"));
}

TEST_F(RecordWriterTest, AChannelWithOtherMessagesIsAnError) {
  Result<McapWriter> mcap = McapWriter::create(folder_ / "a.mcap", "x");
  EXPECT_TRUE(mcap->add_metadata({kFactsName, metadata_of(sample_facts())}).has_value());
  EXPECT_TRUE(mcap->add_schema({"other.Thing", "protobuf", ""}).has_value());
  EXPECT_TRUE(mcap->add_channel({1, "inputs", "protobuf", {}}).has_value());
  mcap->add_message({1, 1, 1, 1}, 0);
  EXPECT_TRUE(mcap->finish().has_value());
  RecordReader reader = open();

  const auto item = reader.next();

  ASSERT_FALSE(item.has_value());
  EXPECT_THAT(item.error().what, HasSubstr("kinloop.v1.StepInput"));
  EXPECT_THAT(item.error().where, HasSubstr("byte"));
}

TEST_F(RecordWriterTest, MalformedFactsAreNamed) {
  McapMap metadata = metadata_of(sample_facts());
  metadata["dt_s"] = "fast";

  const auto facts = facts_of(metadata);

  ASSERT_FALSE(facts.has_value());
  EXPECT_EQ(facts.error().where, "dt_s");
}

TEST_F(RecordWriterTest, AttachmentsAreUnpackedIntoTheirFolderOnly) {
  write_sample(folder_ / "a.mcap", 1, 1);
  EXPECT_EQ(unpack_attachments(open(), folder_ / "out")->size(), 2U);
  EXPECT_EQ(bytes_of(folder_ / "out" / "rig.yaml"), "rig: four_bar\n");

  for (const char* name : {"../evil", "/evil", ".evil", ""}) {
    std::filesystem::remove(folder_ / "b.mcap");
    ASSERT_TRUE(RecordWriter::begin(folder_ / "b.mcap", sample_facts(), {{name, "x"}}).has_value());
    EXPECT_FALSE(unpack_attachments(open("b.mcap"), folder_ / "out2").has_value()) << name;
  }
}

/// With the path in KINLOOP_SAMPLE_RECORD, leaves the file there for readers of other makes (mcap_core_test.sh).
TEST_F(RecordWriterTest, ASampleIsWrittenWhereItIsAskedFor) {
  const char* const asked = std::getenv("KINLOOP_SAMPLE_RECORD");
  const std::filesystem::path path = asked != nullptr ? std::filesystem::path(asked) : folder_ / "a.mcap";

  write_sample(path, 1000, 300);

  EXPECT_GT(std::filesystem::file_size(path), 50'000U);
}

}  // namespace
}  // namespace kinloop::record

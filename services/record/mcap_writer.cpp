// Puts records together in memory and hands whole blocks to the file.
#include "services/record/mcap_writer.hpp"

#include <algorithm>
#include <limits>
#include <system_error>

#include "services/record/crc32.hpp"

namespace kinloop::record {
namespace {

// What stands before the records of a chunk: times, size, checksum, no compression, length.
constexpr std::size_t kChunkTimes = kMcapRecordHead;
constexpr std::size_t kChunkSize = kChunkTimes + 16;
constexpr std::size_t kChunkCrc = kChunkSize + 8;
constexpr std::size_t kChunkCompression = kChunkCrc + 4;
constexpr std::size_t kChunkLength = kChunkCompression + 4;
constexpr std::size_t kChunkRecords = kChunkLength + 8;

constexpr std::size_t kMaxInAChunk = McapWriter::kChunkBytes / (kMcapRecordHead + kMcapMessageHead) + 1;
constexpr std::size_t kIndexEntryBytes = 8 + 8;
constexpr std::size_t kIndexHead = kMcapRecordHead + 2 + 4;
constexpr std::size_t kLikelyChannels = 16;
constexpr std::size_t kLikelyIndexBytes = 1U << 18U;  // about half an hour at one chunk a second

void put_group(McapOpcode opcode, std::uint64_t start, std::uint64_t length, ByteBuffer& out) {
  if (length == 0) return;
  const std::size_t record = out.begin_record(McapOpcode::kSummaryOffset);
  out.put_opcode(opcode);
  out.put(start);
  out.put(length);
  out.end_record(record);
}

}  // namespace

void McapWriter::Times::add(std::uint64_t time_ns) noexcept {
  first_ns = any ? std::min(first_ns, time_ns) : time_ns;
  last_ns = any ? std::max(last_ns, time_ns) : time_ns;
  any = true;
}

McapWriter::McapWriter(AppendFile file) : file_(std::move(file)), messages_of_(1) {
  chunk_.reserve(kChunkRecords + kChunkBytes + kMaxInAChunk * kIndexEntryBytes + kLikelyChannels * kIndexHead);
  entries_.reserve(kMaxInAChunk);
  places_.reserve(kLikelyChannels);
  chunk_indexes_.reserve(kLikelyIndexBytes);
  begin_chunk();
}

Result<McapWriter> McapWriter::create(const std::filesystem::path& path, std::string_view library) {
  Result<AppendFile> file = AppendFile::create(path);
  if (!file) return file.error();
  McapWriter writer(std::move(file).value());
  ByteBuffer head;
  head.put_bytes(kMcapMagic);
  const std::size_t record = head.begin_record(McapOpcode::kHeader);
  head.put_text("");  // no profile
  head.put_text(library);
  head.end_record(record);
  const Result<std::uint64_t> place = writer.append(head.view(), kLargestMcapMessage);
  if (place) return writer;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return place.error();
}

/// Where the block begins.
Result<std::uint64_t> McapWriter::append(std::string_view block, std::uint64_t max_bytes) {
  if (block.size() > max_bytes) return Error{file_.path().string(), "a part of it is too large for a record"};
  const std::uint64_t begin = file_.size();
  if (file_.append(block)) return begin;
  trouble_ = file_.trouble();
  return Error{file_.path().string(), trouble_};
}

Result<std::uint16_t> McapWriter::add_schema(const McapSchema& schema) {
  require(schema_count_ < std::numeric_limits<std::uint16_t>::max(), "schemas have 16-bit numbers");
  const auto id = static_cast<std::uint16_t>(schema_count_ + 1);
  ByteBuffer out;
  const std::size_t record = out.begin_record(McapOpcode::kSchema);
  out.put(id);
  out.put_text(schema.name);
  out.put_text(schema.encoding);
  out.put_text(schema.data);
  out.end_record(record);
  if (const auto place = append(out.view(), kLargestMcapMessage); !place) return place.error();
  schemas_.put_bytes(out.view());
  return schema_count_ = id;
}

Result<std::uint16_t> McapWriter::add_channel(const McapChannel& channel) {
  require(messages_of_.size() <= std::numeric_limits<std::uint16_t>::max(), "channels have 16-bit numbers");
  require(channel.schema <= schema_count_, "the schema was added");
  const auto id = static_cast<std::uint16_t>(messages_of_.size());
  ByteBuffer out;
  const std::size_t record = out.begin_record(McapOpcode::kChannel);
  out.put(id);
  out.put(channel.schema);
  out.put_text(channel.topic);
  out.put_text(channel.message_encoding);
  out.put_map(channel.metadata);
  out.end_record(record);
  if (const auto place = append(out.view(), kLargestMcapMessage); !place) return place.error();
  channels_.put_bytes(out.view());
  messages_of_.push_back(0);
  return id;
}

Result<bool> McapWriter::add_attachment(const McapAttachment& attachment) {
  ByteBuffer out;
  const std::size_t record = out.begin_record(McapOpcode::kAttachment);
  out.put(attachment.log_time_ns);
  out.put(attachment.create_time_ns);
  out.put_text(attachment.name);
  out.put_text(attachment.media_type);
  out.put(static_cast<std::uint64_t>(attachment.data.size()));
  out.put_bytes(attachment.data);
  out.put(crc32(out.view().substr(record)));
  out.end_record(record);
  const Result<std::uint64_t> place = append(out.view(), kLargestMcapRecord);
  if (!place) return place.error();

  const std::size_t index = attachment_indexes_.begin_record(McapOpcode::kAttachmentIndex);
  attachment_indexes_.put(*place);
  attachment_indexes_.put(static_cast<std::uint64_t>(out.size()));
  attachment_indexes_.put(attachment.log_time_ns);
  attachment_indexes_.put(attachment.create_time_ns);
  attachment_indexes_.put(static_cast<std::uint64_t>(attachment.data.size()));
  attachment_indexes_.put_text(attachment.name);
  attachment_indexes_.put_text(attachment.media_type);
  attachment_indexes_.end_record(index);
  ++attachment_count_;
  return true;
}

Result<bool> McapWriter::add_metadata(const McapMetadata& metadata) {
  ByteBuffer out;
  const std::size_t record = out.begin_record(McapOpcode::kMetadata);
  out.put_text(metadata.name);
  out.put_map(metadata.values);
  out.end_record(record);
  const Result<std::uint64_t> place = append(out.view(), kLargestMcapMessage);
  if (!place) return place.error();

  const std::size_t index = metadata_indexes_.begin_record(McapOpcode::kMetadataIndex);
  metadata_indexes_.put(*place);
  metadata_indexes_.put(static_cast<std::uint64_t>(out.size()));
  metadata_indexes_.put_text(metadata.name);
  metadata_indexes_.end_record(index);
  ++metadata_count_;
  return true;
}

char* McapWriter::add_message(const McapStamp& stamp, std::size_t size) {
  require(stamp.channel > 0 && stamp.channel < messages_of_.size(), "the channel was added");
  if (size > kLargestMcapMessage) {
    ++counters_.dropped;
    trouble_ = "a message of " + std::to_string(size) + " bytes is too large";
    return nullptr;
  }
  const std::size_t bytes = kMcapRecordHead + kMcapMessageHead + size;
  if (chunk_.size() - kChunkRecords + bytes > kChunkBytes) flush();
  entries_.push_back({stamp.log_time_ns, chunk_.size() - kChunkRecords, stamp.channel});
  chunk_times_.add(stamp.log_time_ns);
  chunk_.put_opcode(McapOpcode::kMessage);
  chunk_.put(static_cast<std::uint64_t>(kMcapMessageHead + size));
  chunk_.put(stamp.channel);
  chunk_.put(stamp.sequence);
  chunk_.put(stamp.log_time_ns);
  chunk_.put(stamp.publish_time_ns);
  return chunk_.grow(size);
}

bool McapWriter::flush() {
  if (entries_.empty()) return true;
  end_chunk_head();
  const std::size_t chunk_bytes = chunk_.size();
  put_message_indexes();
  const bool is_written = file_.append(chunk_.view());
  if (is_written) {
    for (const IndexEntry& entry : entries_) ++messages_of_[entry.channel];
    counters_.messages += entries_.size();
    ++counters_.chunks;
    times_.add(chunk_times_.first_ns);
    times_.add(chunk_times_.last_ns);
    put_chunk_index(chunk_bytes);
  } else {
    counters_.dropped += entries_.size();
    trouble_ = file_.trouble();
  }
  begin_chunk();
  return is_written;
}

void McapWriter::begin_chunk() {
  entries_.clear();
  chunk_times_ = {};
  chunk_.clear();
  chunk_.put_opcode(McapOpcode::kChunk);
  chunk_.grow(kChunkRecords - 1);  // known at the end
}

void McapWriter::end_chunk_head() {
  const std::string_view records = chunk_.view().substr(kChunkRecords);
  const auto size = static_cast<std::uint64_t>(records.size());
  chunk_.set(1, static_cast<std::uint64_t>(chunk_.size() - kMcapRecordHead));
  chunk_.set(kChunkTimes, chunk_times_.first_ns);
  chunk_.set(kChunkTimes + 8, chunk_times_.last_ns);
  chunk_.set(kChunkSize, size);
  chunk_.set(kChunkCrc, crc32(records));
  chunk_.set(kChunkCompression, std::uint32_t{0});
  chunk_.set(kChunkLength, size);
}

void McapWriter::put_message_indexes() {
  places_.clear();
  for (std::size_t i = 1; i < messages_of_.size(); ++i) {
    const auto channel = static_cast<std::uint16_t>(i);
    const std::size_t begin = chunk_.size();
    const std::size_t record = chunk_.begin_record(McapOpcode::kMessageIndex);
    chunk_.put(channel);
    chunk_.put(std::uint32_t{0});
    const std::size_t array = chunk_.size();
    for (const IndexEntry& entry : entries_) {
      if (entry.channel != channel) continue;
      chunk_.put(entry.log_time_ns);
      chunk_.put(entry.offset);
    }
    if (chunk_.size() == array) {
      chunk_.shrink(begin);
      continue;
    }
    chunk_.set(array - 4, static_cast<std::uint32_t>(chunk_.size() - array));
    chunk_.end_record(record);
    places_.push_back({channel, static_cast<std::uint64_t>(begin)});
  }
}

/// Of the chunk that was just written.
void McapWriter::put_chunk_index(std::size_t chunk_bytes) {
  const std::uint64_t start = file_.size() - chunk_.size();
  ByteBuffer& out = chunk_indexes_;
  const std::size_t record = out.begin_record(McapOpcode::kChunkIndex);
  out.put(chunk_times_.first_ns);
  out.put(chunk_times_.last_ns);
  out.put(start);
  out.put(static_cast<std::uint64_t>(chunk_bytes));
  out.put(static_cast<std::uint32_t>(places_.size() * (2 + 8)));
  for (const IndexPlace& place : places_) {
    out.put(place.channel);
    out.put(start + place.offset);
  }
  out.put(static_cast<std::uint64_t>(chunk_.size() - chunk_bytes));
  out.put_text("");
  out.put(static_cast<std::uint64_t>(chunk_bytes - kChunkRecords));
  out.put(static_cast<std::uint64_t>(chunk_bytes - kChunkRecords));
  out.end_record(record);
}

void McapWriter::put_statistics(ByteBuffer& out) const {
  const std::size_t record = out.begin_record(McapOpcode::kStatistics);
  out.put(counters_.messages);
  out.put(schema_count_);
  out.put(static_cast<std::uint32_t>(messages_of_.size() - 1));
  out.put(attachment_count_);
  out.put(metadata_count_);
  out.put(static_cast<std::uint32_t>(counters_.chunks));
  out.put(times_.first_ns);
  out.put(times_.last_ns);
  out.put(static_cast<std::uint32_t>((messages_of_.size() - 1) * (2 + 8)));
  for (std::size_t i = 1; i < messages_of_.size(); ++i) {
    const auto channel = static_cast<std::uint16_t>(i);
    out.put(channel);
    out.put(messages_of_[i]);
  }
  out.end_record(record);
}

/// Everything after the data: `start` is where it will stand.
void McapWriter::put_summary(std::uint64_t start, ByteBuffer& out) const {
  ByteBuffer statistics;
  put_statistics(statistics);
  struct Group {
    McapOpcode opcode;
    const ByteBuffer& records;
  };
  const Group groups[] = {{McapOpcode::kSchema, schemas_},
                          {McapOpcode::kChannel, channels_},
                          {McapOpcode::kStatistics, statistics},
                          {McapOpcode::kChunkIndex, chunk_indexes_},
                          {McapOpcode::kAttachmentIndex, attachment_indexes_},
                          {McapOpcode::kMetadataIndex, metadata_indexes_}};
  const std::size_t begin = out.size();
  ByteBuffer offsets;
  for (const Group& group : groups) {
    put_group(group.opcode, start + out.size() - begin, group.records.size(), offsets);
    out.put_bytes(group.records.view());
  }
  const std::uint64_t offsets_start = start + out.size() - begin;
  out.put_bytes(offsets.view());
  const std::size_t footer = out.begin_record(McapOpcode::kFooter);
  out.put(start);
  out.put(offsets_start);
  out.set(footer - 8, std::uint64_t{8 + 8 + 4});  // before the checksum, which covers it
  out.put(crc32(out.view().substr(begin)));
  out.put_bytes(kMcapMagic);
}

Result<bool> McapWriter::finish() {
  flush();
  ByteBuffer end;
  const std::size_t record = end.begin_record(McapOpcode::kDataEnd);
  end.put(file_.crc());
  end.end_record(record);
  put_summary(file_.size() + end.size(), end);
  if (const auto place = append(end.view(), std::numeric_limits<std::uint64_t>::max()); !place) {
    file_.close();
    return place.error();
  }
  if (file_.close()) return true;
  trouble_ = file_.trouble();
  return Error{file_.path().string(), trouble_};
}

McapCounters McapWriter::counters() const noexcept {
  McapCounters now = counters_;
  now.waiting = entries_.size();
  now.bytes = file_.size();
  return now;
}

}  // namespace kinloop::record

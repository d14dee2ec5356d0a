// Believes no length before it is checked against the file and against a bound.
#include "services/record/mcap_reader.hpp"

#include <algorithm>
#include <array>

#include "core/base/nearest_name.hpp"
#include "services/record/crc32.hpp"

namespace kinloop::record {
namespace {

constexpr std::uint64_t kLargestChunk = 64ULL << 20U;
constexpr std::uint64_t kMaxKept = 64ULL << 20U;  // of schemas and channels
constexpr std::size_t kSkipBytes = 1U << 16U;
constexpr std::uint64_t kFooterLength = 8 + 8 + 4;

bool is(std::uint8_t opcode, McapOpcode kind) { return opcode == static_cast<std::uint8_t>(kind); }

bool is_known(std::uint8_t opcode) { return opcode >= 1 && opcode <= static_cast<std::uint8_t>(McapOpcode::kDataEnd); }

std::uint64_t largest(std::uint8_t opcode) {
  if (is(opcode, McapOpcode::kAttachment)) return kLargestMcapRecord;
  if (is(opcode, McapOpcode::kChunk)) return kLargestChunk;
  return kLargestMcapMessage + kMcapMessageHead;
}

/// Those of which only the bytes are looked at.
bool is_passed_over(std::uint8_t opcode) {
  return !is_known(opcode) || is(opcode, McapOpcode::kMessageIndex) || is(opcode, McapOpcode::kChunkIndex) ||
         is(opcode, McapOpcode::kAttachmentIndex) || is(opcode, McapOpcode::kStatistics) ||
         is(opcode, McapOpcode::kMetadataIndex) || is(opcode, McapOpcode::kSummaryOffset);
}

std::string kind_of(std::uint8_t opcode) { return "a record of kind " + std::to_string(opcode); }

}  // namespace

Result<McapReader> McapReader::open(const std::filesystem::path& path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file) return file.error();
  McapReader reader(std::move(file).value());
  const Result<Found> magic = reader.read_magic();
  if (!magic) return magic.error();
  return reader;
}

Error McapReader::error_at(std::uint64_t offset, std::string what) const {
  return {file_.path().string() + ": byte " + std::to_string(offset), std::move(what)};
}

Result<McapItem> McapReader::next() {
  while (part_ != Part::kOver) {
    const bool in_chunk = !chunk_.empty() || chunk_is_cut_;
    const Result<Found> found = in_chunk ? next_in_chunk() : next_in_file();
    if (!found) {
      part_ = Part::kOver;
      return found.error();
    }
    if (*found) return **found;
  }
  return McapItem::kEnd;
}

/// Into block_. Precondition: so much is left.
Result<bool> McapReader::read(std::uint64_t count) {
  block_.resize(static_cast<std::size_t>(count));
  if (const Result<bool> done = file_.read(offset_, block_); !done) return done.error();
  offset_ += count;
  crc_ = crc32({block_.data(), block_.size()}, crc_);
  return true;
}

Result<bool> McapReader::skip(std::uint64_t count) {
  while (count > 0) {
    const std::uint64_t some = std::min<std::uint64_t>(count, kSkipBytes);
    if (const Result<bool> done = read(some); !done) return done.error();
    count -= some;
  }
  return true;
}

McapReader::Found McapReader::cut(std::uint64_t offset) {
  cut_off_ = offset;
  part_ = Part::kOver;
  return McapItem::kEnd;
}

Result<McapReader::Found> McapReader::read_magic() {
  if (const Result<bool> done = read(std::min<std::uint64_t>(left(), kMcapMagic.size())); !done) return done.error();
  const std::string_view magic(block_.data(), block_.size());
  if (!kMcapMagic.starts_with(magic)) return error_at(0, "is no MCAP file of version 0");
  part_ = Part::kHeader;
  return magic.size() < kMcapMagic.size() ? cut(0) : Found{};
}

Result<McapReader::Found> McapReader::next_in_file() {
  const std::uint32_t crc_before = crc_;
  RecordHead head;
  head.offset = offset_;
  if (left() < kMcapRecordHead) return cut(head.offset);
  if (const Result<bool> done = read(kMcapRecordHead); !done) return done.error();
  ByteCursor cursor({block_.data(), block_.size()});
  head.opcode = cursor.take<std::uint8_t>();
  head.length = cursor.take<std::uint64_t>();

  if (head.opcode == 0) return zero_record(head.offset);
  if (part_ == Part::kHeader && !is(head.opcode, McapOpcode::kHeader)) {
    return error_at(head.offset, "the header is missing");
  }
  if (is_known(head.opcode) && head.length > largest(head.opcode)) {
    return error_at(head.offset, kind_of(head.opcode) + " claims " + std::to_string(head.length) + " bytes");
  }
  const bool is_whole = head.length <= left();
  if (is(head.opcode, McapOpcode::kChunk) && part_ == Part::kData) return open_chunk(head);
  if (!is_whole && is_known(head.opcode)) return cut(head.offset);
  if (!is_whole) return error_at(head.offset, kind_of(head.opcode) + " reaches beyond the end of the file");
  return take_whole(head, crc_before);
}

/// No record has this opcode. A file system that lost its power may leave zeros where the file had grown.
Result<McapReader::Found> McapReader::zero_record(std::uint64_t offset) {
  const auto is_zero = [this] { return std::all_of(block_.begin(), block_.end(), [](char c) { return c == 0; }); };
  bool all_zero = is_zero();
  while (all_zero && left() > 0) {
    if (const Result<bool> done = read(std::min<std::uint64_t>(left(), kSkipBytes)); !done) return done.error();
    all_zero = is_zero();
  }
  if (all_zero) return cut(offset);
  return error_at(offset, "there is no record of kind 0");
}

Result<McapReader::Found> McapReader::take_whole(const RecordHead& head, std::uint32_t crc_before) {
  if (is(head.opcode, McapOpcode::kFooter)) return take_footer(head, crc_before);
  if (part_ == Part::kSummary || is_passed_over(head.opcode)) {
    if (const Result<bool> done = skip(head.length); !done) return done.error();
    return Found{};
  }
  if (const Result<bool> done = read(head.length); !done) return done.error();
  ByteCursor cursor({block_.data(), block_.size()});
  if (is(head.opcode, McapOpcode::kHeader)) {
    if (part_ != Part::kHeader) return error_at(head.offset, "there is a second header");
    cursor.take_text();
    library_ = cursor.take_text();
    if (!cursor.is_good()) return error_at(head.offset, "the header is malformed");
    part_ = Part::kData;
    return Found{};
  }
  if (is(head.opcode, McapOpcode::kDataEnd)) {
    const auto crc = cursor.take<std::uint32_t>();
    if (!cursor.is_good()) return error_at(head.offset, "the end of the data is malformed");
    if (crc != 0 && crc != crc_before) return error_at(head.offset, "the data do not have the checksum they claim");
    part_ = Part::kSummary;
    summary_start_ = offset_;
    crc_ = 0;
    return Found{};
  }
  return take_small(head, cursor.rest());
}

/// What may stand in chunks too, and attachments and metadata.
Result<McapReader::Found> McapReader::take_small(const RecordHead& head, std::string_view content) {
  ByteCursor cursor(content);
  if (is(head.opcode, McapOpcode::kMessage)) return take_message(head, content);
  if (is(head.opcode, McapOpcode::kSchema)) return take_schema(head, cursor);
  if (is(head.opcode, McapOpcode::kChannel)) return take_channel(head, cursor);
  if (is(head.opcode, McapOpcode::kAttachment)) return take_attachment(head, content);
  if (!is(head.opcode, McapOpcode::kMetadata)) return Found{};
  metadata_.name = cursor.take_text();
  metadata_.values = cursor.take_map();
  if (!cursor.is_good()) return error_at(head.offset, "metadata are malformed");
  return Found(McapItem::kMetadata);
}

/// Reads the chunk, or what there is of it: records that are whole in half a chunk are good.
Result<McapReader::Found> McapReader::open_chunk(const RecordHead& head) {
  const std::uint64_t there = std::min(head.length, left());
  if (const Result<bool> done = read(there); !done) return done.error();
  ByteCursor cursor({block_.data(), block_.size()});
  cursor.take_bytes(16);  // times
  const auto uncompressed_size = cursor.take<std::uint64_t>();
  const auto crc = cursor.take<std::uint32_t>();
  const std::string_view compression = cursor.take_text();
  const auto size = cursor.take<std::uint64_t>();
  const bool is_cut = there < head.length;
  if (!cursor.is_good() && is_cut) return cut(head.offset);
  if (!cursor.is_good()) return error_at(head.offset, "a chunk is malformed");
  if (!compression.empty()) {
    return error_at(head.offset, "a chunk is compressed by " + in_quotes(compression) + ", which is not understood");
  }
  if (size != head.length - cursor.position() || size != uncompressed_size) {
    return error_at(head.offset, "the sizes that a chunk claims contradict each other");
  }
  if (!is_cut && crc != 0 && crc != crc32(cursor.rest())) {
    return error_at(head.offset, "a chunk does not have the checksum it claims");
  }
  chunk_ = cursor.rest();
  chunk_offset_ = head.content() + cursor.position();
  chunk_is_cut_ = is_cut;
  return Found{};
}

Result<McapReader::Found> McapReader::next_in_chunk() {
  RecordHead head;
  head.offset = chunk_offset_;
  ByteCursor cursor(chunk_);
  head.opcode = cursor.take<std::uint8_t>();
  head.length = cursor.take<std::uint64_t>();
  const std::string_view content = cursor.take_bytes(head.length);
  if (!cursor.is_good()) {
    if (chunk_is_cut_) return cut(head.offset);
    return error_at(head.offset, kind_of(head.opcode) + " reaches beyond its chunk");
  }
  chunk_ = cursor.rest();
  chunk_offset_ += cursor.position();
  const bool belongs = is(head.opcode, McapOpcode::kMessage) || is(head.opcode, McapOpcode::kSchema) ||
                       is(head.opcode, McapOpcode::kChannel);
  if (belongs) return take_small(head, content);
  if (is_known(head.opcode) || head.opcode == 0) {
    return error_at(head.offset, kind_of(head.opcode) + " does not belong into a chunk");
  }
  return Found{};
}

Result<McapReader::Found> McapReader::take_message(const RecordHead& head, std::string_view content) {
  ByteCursor cursor(content);
  const auto channel = channels_.find(cursor.take<std::uint16_t>());
  message_.sequence = cursor.take<std::uint32_t>();
  message_.log_time_ns = cursor.take<std::uint64_t>();
  message_.publish_time_ns = cursor.take<std::uint64_t>();
  if (!cursor.is_good()) return error_at(head.offset, "a message is malformed");
  if (channel == channels_.end()) return error_at(head.offset, "a message is of a channel that was not described");
  message_.channel = &channel->second;
  message_.data = cursor.rest();
  message_.offset = head.offset;
  return Found(McapItem::kMessage);
}

Result<McapReader::Found> McapReader::take_attachment(const RecordHead& head, std::string_view content) {
  ByteCursor cursor(content);
  attachment_.log_time_ns = cursor.take<std::uint64_t>();
  attachment_.create_time_ns = cursor.take<std::uint64_t>();
  attachment_.name = cursor.take_text();
  attachment_.media_type = cursor.take_text();
  attachment_.data = cursor.take_bytes(cursor.take<std::uint64_t>());
  const std::size_t covered = cursor.position();
  const auto crc = cursor.take<std::uint32_t>();
  if (!cursor.is_good()) return error_at(head.offset, "an attachment is malformed");
  if (crc != 0 && crc != crc32(content.substr(0, covered))) {
    return error_at(head.offset, "an attachment does not have the checksum it claims");
  }
  return Found(McapItem::kAttachment);
}

Result<McapReader::Found> McapReader::take_schema(const RecordHead& head, ByteCursor cursor) {
  const auto id = cursor.take<std::uint16_t>();
  McapSchema schema;
  schema.name = cursor.take_text();
  schema.encoding = cursor.take_text();
  schema.data = cursor.take_text();
  if (!cursor.is_good()) return error_at(head.offset, "a schema is malformed");
  if (id == 0) return Found{};  // means that there is none
  const auto [place, is_new] = schemas_.try_emplace(id, std::move(schema));
  if (is_new) return keep(head);
  if (place->second == schema) return Found{};  // try_emplace moves only where it puts
  return error_at(head.offset, "two schemas have the number " + std::to_string(id));
}

Result<McapReader::Found> McapReader::take_channel(const RecordHead& head, ByteCursor cursor) {
  const auto id = cursor.take<std::uint16_t>();
  McapChannel channel;
  channel.schema = cursor.take<std::uint16_t>();
  channel.topic = cursor.take_text();
  channel.message_encoding = cursor.take_text();
  channel.metadata = cursor.take_map();
  if (!cursor.is_good()) return error_at(head.offset, "a channel is malformed");
  if (channel.schema != 0 && !schemas_.contains(channel.schema)) {
    return error_at(head.offset, "a channel is of a schema that was not described");
  }
  const auto [place, is_new] = channels_.try_emplace(id, std::move(channel));
  if (is_new) return keep(head);
  if (place->second == channel) return Found{};  // try_emplace moves only where it puts
  return error_at(head.offset, "two channels have the number " + std::to_string(id));
}

/// Descriptions stay in memory, so all of them together have a bound.
Result<McapReader::Found> McapReader::keep(const RecordHead& head) {
  kept_bytes_ += head.length;
  if (kept_bytes_ > kMaxKept) return error_at(head.offset, "schemas and channels are larger than 64 MiB");
  return Found{};
}

Result<McapReader::Found> McapReader::take_footer(const RecordHead& head, std::uint32_t crc_before) {
  if (head.length != kFooterLength) return error_at(head.offset, "the footer is malformed");
  std::array<char, kMcapRecordHead + kFooterLength - 4> covered{};
  if (const Result<bool> done = file_.read(head.offset, covered); !done) return done.error();
  if (const Result<bool> done = read(head.length); !done) return done.error();
  ByteCursor cursor({block_.data(), block_.size()});
  const auto start = cursor.take<std::uint64_t>();
  cursor.take<std::uint64_t>();  // of the summary offsets
  const auto crc = cursor.take<std::uint32_t>();
  if (part_ != Part::kSummary) return error_at(head.offset, "the end of the data is missing");
  const bool is_empty = summary_start_ == head.offset;
  if (start != (is_empty ? 0 : summary_start_))
    return error_at(head.offset, "the footer does not point at the summary");
  if (crc != 0 && crc != crc32({covered.data(), covered.size()}, crc_before)) {
    return error_at(head.offset, "the summary does not have the checksum it claims");
  }
  if (left() < kMcapMagic.size()) return cut(offset_);
  const std::uint64_t magic = offset_;
  const bool is_last = left() == kMcapMagic.size();
  if (const Result<bool> done = read(kMcapMagic.size()); !done) return done.error();
  if (!is_last || std::string_view(block_.data(), block_.size()) != kMcapMagic) {
    return error_at(magic, "the file does not end as it should");
  }
  part_ = Part::kOver;
  return Found(McapItem::kEnd);
}

}  // namespace kinloop::record

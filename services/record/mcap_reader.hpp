// Owns McapReader: what an MCAP file holds, in the order of the file, be the file whole, cut off or damaged.
//
// Reads what McapWriter writes, from the beginning to the end, and checks every checksum; chunks that are compressed
// are refused, records of other kinds passed over. Memory is bounded by the largest record that is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "services/record/byte_cursor.hpp"
#include "services/record/input_file.hpp"
#include "services/record/mcap_records.hpp"

namespace kinloop::record {

struct McapMessage {
  const McapChannel* channel = nullptr;
  std::uint32_t sequence = 0;
  std::uint64_t log_time_ns = 0;
  std::uint64_t publish_time_ns = 0;
  std::string_view data;
  std::uint64_t offset = 0;  // of its record in the file, for errors about its data
};

/// What next() found.
enum class McapItem { kMessage, kAttachment, kMetadata, kEnd };

class McapReader {
 public:
  /// An error where the file cannot be opened or is of another kind.
  static Result<McapReader> open(const std::filesystem::path& path);

  /// Goes on to the next message, attachment or metadata; kEnd at the end, and ever after. An error is damage, or a
  /// file that cannot be read; it names file and byte, and ends the reading too.
  Result<McapItem> next();
  /// What next() found; valid until it is called again.
  const McapMessage& message() const noexcept { return message_; }
  const McapAttachment& attachment() const noexcept { return attachment_; }
  const McapMetadata& metadata() const noexcept { return metadata_; }

  /// As far as they were read, by their numbers.
  const std::map<std::uint16_t, McapSchema>& schemas() const noexcept { return schemas_; }
  const std::map<std::uint16_t, McapChannel>& channels() const noexcept { return channels_; }
  const std::string& library() const noexcept { return library_; }
  const std::filesystem::path& path() const noexcept { return file_.path(); }
  std::uint64_t file_bytes() const noexcept { return file_.size(); }
  /// At kEnd: the byte at which the file was cut off, so that what followed is lost; nothing where it ended properly.
  std::optional<std::uint64_t> cut_off() const noexcept { return cut_off_; }

  /// An error about the byte at `offset` of this file.
  Error error_at(std::uint64_t offset, std::string what) const;

 private:
  using Found = std::optional<McapItem>;
  enum class Part { kMagic, kHeader, kData, kSummary, kOver };
  struct RecordHead {
    std::uint8_t opcode = 0;
    std::uint64_t length = 0;
    std::uint64_t offset = 0;  // in the file
    std::uint64_t content() const noexcept { return offset + kMcapRecordHead; }
  };

  explicit McapReader(InputFile file) : file_(std::move(file)) {}
  std::uint64_t left() const noexcept { return file_.size() - offset_; }

  Result<bool> read(std::uint64_t count);
  Result<bool> skip(std::uint64_t count);
  Found cut(std::uint64_t offset);
  Result<Found> read_magic();
  Result<Found> next_in_file();
  Result<Found> next_in_chunk();
  Result<Found> zero_record(std::uint64_t offset);
  Result<Found> take_whole(const RecordHead& head, std::uint32_t crc_before);
  Result<Found> take_small(const RecordHead& head, std::string_view content);
  Result<Found> open_chunk(const RecordHead& head);
  Result<Found> take_message(const RecordHead& head, std::string_view content);
  Result<Found> take_attachment(const RecordHead& head, std::string_view content);
  Result<Found> take_schema(const RecordHead& head, ByteCursor cursor);
  Result<Found> take_channel(const RecordHead& head, ByteCursor cursor);
  Result<Found> take_footer(const RecordHead& head, std::uint32_t crc_before);
  Result<Found> keep(const RecordHead& head);

  InputFile file_;
  Part part_ = Part::kMagic;
  std::uint64_t offset_ = 0;  // of what is not read yet
  std::uint32_t crc_ = 0;     // of the data so far, or of the summary
  std::uint64_t summary_start_ = 0;
  std::optional<std::uint64_t> cut_off_;
  std::vector<char> block_;         // read last
  std::string_view chunk_;          // of block_: records of the chunk that are not handed out yet
  std::uint64_t chunk_offset_ = 0;  // of them in the file
  bool chunk_is_cut_ = false;
  std::uint64_t kept_bytes_ = 0;
  std::string library_;
  std::map<std::uint16_t, McapSchema> schemas_;
  std::map<std::uint16_t, McapChannel> channels_;
  McapMessage message_;
  McapAttachment attachment_;
  McapMetadata metadata_;
};

}  // namespace kinloop::record

// Owns McapWriter: MCAP files with chunks, indexes and checksums, written as things happen.
//
// Messages are gathered in a chunk in memory; the chunk goes to the file when it is full or flush() is called. What was
// flushed stays readable whatever happens to this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "services/record/append_file.hpp"
#include "services/record/byte_buffer.hpp"
#include "services/record/mcap_records.hpp"

namespace kinloop::record {

/// What stands before the bytes of a message.
struct McapStamp {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time_ns = 0;
  std::uint64_t publish_time_ns = 0;
};

struct McapCounters {
  std::uint64_t messages = 0;  // in the file
  std::uint64_t waiting = 0;   // in the chunk that is not in the file yet
  std::uint64_t dropped = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;  // of the file
};

/// Used by one thread at a time.
class McapWriter {
 public:
  /// A chunk is written before it grows beyond; a message that is longer gets a chunk of its own.
  static constexpr std::size_t kChunkBytes = 1U << 20U;

  /// Makes the file, which must not be there yet, and writes its header. `library` is the writing program's name and
  /// version.
  static Result<McapWriter> create(const std::filesystem::path& path, std::string_view library);

  /// These go to the file at once; errors say why they are not there. Numbers of schemas and channels count from 1.
  Result<std::uint16_t> add_schema(const McapSchema& schema);
  Result<std::uint16_t> add_channel(const McapChannel& channel);
  Result<bool> add_attachment(const McapAttachment& attachment);
  Result<bool> add_metadata(const McapMetadata& metadata);

  /// A message of `size` bytes: where the caller puts them, before anything else is called. Null where the message is
  /// too large, which counts as dropped. Allocates nothing while messages are shorter than a chunk. A chunk that is
  /// full is written first; where that fails, its messages are dropped and the writer goes on with the next one.
  /// Precondition: the channel was added.
  char* add_message(const McapStamp& stamp, std::size_t size);
  /// Writes the chunk as it is; false where its messages were lost.
  bool flush();
  /// Writes the rest and the summary, and closes the file; without the summary the file can be read all the same.
  /// Nothing may be added afterwards.
  Result<bool> finish();

  McapCounters counters() const noexcept;
  /// Why something is missing, the newest reason; empty: nothing is.
  const std::string& trouble() const noexcept { return trouble_; }

 private:
  struct IndexEntry {
    std::uint64_t log_time_ns;
    std::uint64_t offset;  // in the chunk's records
    std::uint16_t channel;
  };
  /// Earliest and latest.
  struct Times {
    std::uint64_t first_ns = 0;
    std::uint64_t last_ns = 0;
    bool any = false;
    void add(std::uint64_t time_ns) noexcept;
  };
  /// Where a channel's message index stands.
  struct IndexPlace {
    std::uint16_t channel;
    std::uint64_t offset;
  };

  explicit McapWriter(AppendFile file);
  Result<std::uint64_t> append(std::string_view block, std::uint64_t max_bytes);
  void begin_chunk();
  void end_chunk_head();
  void put_message_indexes();
  void put_chunk_index(std::size_t chunk_bytes);
  void put_statistics(ByteBuffer& out) const;
  void put_summary(std::uint64_t start, ByteBuffer& out) const;

  AppendFile file_;
  std::string trouble_;
  ByteBuffer chunk_;  // the whole record, then its message indexes
  std::vector<IndexEntry> entries_;
  std::vector<IndexPlace> places_;
  Times chunk_times_;
  // For the summary: whole records.
  ByteBuffer schemas_;
  ByteBuffer channels_;
  ByteBuffer chunk_indexes_;
  ByteBuffer attachment_indexes_;
  ByteBuffer metadata_indexes_;
  std::uint16_t schema_count_ = 0;
  std::uint32_t attachment_count_ = 0;
  std::uint32_t metadata_count_ = 0;
  std::vector<std::uint64_t> messages_of_;  // in the file, by channel, from 1
  Times times_;
  McapCounters counters_;
};

}  // namespace kinloop::record

// Owns what an MCAP file is made of: its opcodes, its magic, and what its records say (https://mcap.dev/spec, version
// 0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kinloop::record {

/// At the beginning and at the end of every file.
inline constexpr std::string_view kMcapMagic("\x89MCAP0\r\n", 8);

enum class McapOpcode : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0A,
  kStatistics = 0x0B,
  kMetadata = 0x0C,
  kMetadataIndex = 0x0D,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

/// Opcode and length.
inline constexpr std::size_t kMcapRecordHead = 1 + 8;
/// Channel, sequence, two times; then the message itself.
inline constexpr std::size_t kMcapMessageHead = 2 + 4 + 8 + 8;

/// Written never, read never: what is larger is taken for damage.
inline constexpr std::uint64_t kLargestMcapMessage = 16ULL << 20U;
inline constexpr std::uint64_t kLargestMcapRecord = 256ULL << 20U;

using McapMap = std::map<std::string, std::string>;

struct McapSchema {
  std::string name;
  std::string encoding;
  std::string data;

  friend bool operator==(const McapSchema&, const McapSchema&) = default;
};

struct McapChannel {
  std::uint16_t schema = 0;  // 0: none
  std::string topic;
  std::string message_encoding;
  McapMap metadata;

  friend bool operator==(const McapChannel&, const McapChannel&) = default;
};

struct McapAttachment {
  std::uint64_t log_time_ns = 0;
  std::uint64_t create_time_ns = 0;
  std::string name;
  std::string media_type;
  std::string data;

  friend bool operator==(const McapAttachment&, const McapAttachment&) = default;
};

struct McapMetadata {
  std::string name;
  McapMap values;

  friend bool operator==(const McapMetadata&, const McapMetadata&) = default;
};

}  // namespace kinloop::record

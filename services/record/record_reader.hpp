// Owns RecordReader: the messages of a record, one after the other, whatever its length.
//
//   auto reader = RecordReader::open("run.mcap");
//   reader->want({RecordChannel::kInputs, RecordChannel::kSnapshots, RecordChannel::kParameters});
//   for (;;) {
//     const auto item = reader->next();
//     if (!item) return item.error();
//     if (*item == nullptr) break;
//     if (const auto* input = std::get_if<const v1::StepInput*>(&(*item)->message)) ...
//   }
#pragma once

#include <kinloop/v1/event.pb.h>
#include <kinloop/v1/frames.pb.h>
#include <kinloop/v1/record.pb.h>

#include <array>
#include <bitset>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/result.hpp"
#include "services/record/mcap_reader.hpp"
#include "services/record/record_channels.hpp"
#include "services/record/record_facts.hpp"

namespace kinloop::record {

struct RecordItem {
  RecordChannel channel = RecordChannel::kSensors;
  /// Of the type that the channel carries.
  std::variant<const v1::SensorFrame*, const v1::StepInput*, const v1::ActuatorFrame*, const v1::Event*,
               const v1::RecordedParameters*, const v1::RecordedSnapshot*>
      message;
  std::uint64_t time_ns = 0;   // of day: since 1970, UTC
  std::uint32_t sequence = 0;  // the step's lowest 32 bits
};

class RecordReader {
 public:
  /// Reads up to the first message: facts and attachments are known then. An error where it is no record of a run.
  static Result<RecordReader> open(const std::filesystem::path& path);

  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;
  ~RecordReader();

  const RecordFacts& facts() const noexcept { return facts_; }
  const std::vector<McapAttachment>& attachments() const noexcept { return attachments_; }

  /// Messages of other channels are passed over, unread; without this, none is.
  void want(std::initializer_list<RecordChannel> channels);
  /// The next message in the order of the file, valid until the next call; null at the end. An error names file and
  /// byte; what came before it is good.
  Result<const RecordItem*> next();

  /// After the end: where the file was cut off, so that what followed is lost; nothing where it ended properly.
  std::optional<std::uint64_t> cut_off() const noexcept { return mcap_.cut_off(); }
  /// After the end: what the writer said of it; nothing where it did not come to that.
  const std::optional<RecordEnd>& end() const noexcept { return end_; }
  /// How far it is: a byte of the file.
  std::uint64_t position() const noexcept { return mcap_.message().offset; }
  std::uint64_t file_bytes() const noexcept { return mcap_.file_bytes(); }
  /// An error about the message that next() gave last.
  Error error_here(std::string what) const { return mcap_.error_at(mcap_.message().offset, std::move(what)); }

 private:
  struct Messages;  // one of each kind, used again and again

  explicit RecordReader(McapReader mcap);
  Result<bool> read_head();
  Result<McapItem> next_message();
  Result<bool> keep_attachment();
  Result<bool> decode(RecordChannel channel);

  McapReader mcap_;
  RecordFacts facts_;
  bool has_facts_ = false;
  std::vector<McapAttachment> attachments_;
  std::optional<RecordEnd> end_;
  std::bitset<kRecordChannels.size()> wanted_;
  bool has_first_ = false;  // a message was read ahead
  std::unique_ptr<Messages> messages_;
  RecordItem item_;
};

/// Writes the attachments into a folder, which is made: the rig, the model and all else needed to repeat the run. Names
/// that lead elsewhere are refused.
Result<std::vector<std::filesystem::path>> unpack_attachments(const RecordReader& record,
                                                              const std::filesystem::path& folder);

}  // namespace kinloop::record

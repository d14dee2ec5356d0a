// Owns RecordWriter: a run as an MCAP file from which it can be looked at, exported and repeated (docs/records.md).
#pragma once

#include <kinloop/v1/event.pb.h>
#include <kinloop/v1/frames.pb.h>
#include <kinloop/v1/record.pb.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "services/record/mcap_writer.hpp"
#include "services/record/record_channels.hpp"
#include "services/record/record_facts.hpp"

namespace kinloop::record {

/// A file of the configuration, whole: "rig.yaml", "model.yaml".
struct RecordedFile {
  std::string name;
  std::string data;
};

/// When a message belongs: the plant's clock, and the step.
struct RecordTime {
  std::int64_t monotonic_ns = 0;
  std::uint64_t step = 0;
};

struct RecordCounters {
  std::uint64_t messages = 0;  // taken and not lost, those included that wait for the next flush
  std::uint64_t dropped = 0;
  std::uint64_t bytes = 0;  // of the file
  std::string trouble;      // why some were dropped; empty: none were
};

/// Used by one thread at a time.
///
/// No message allocates; only the list of chunks grows now and then. None fails: where the disk is full, messages are
/// dropped and counted, chunk by chunk, until there is room again. Set SIGXFSZ to be ignored where file sizes are
/// limited.
class RecordWriter {
 public:
  /// Makes the file, which must not be there yet, and puts into it all that is known beforehand. On an error no file is
  /// left. `facts.start` is taken from `start`.
  static Result<RecordWriter> begin(const std::filesystem::path& path, RecordFacts facts,
                                    const std::vector<RecordedFile>& files, RecordStart start = RecordStart::now());

  RecordWriter(RecordWriter&& other) noexcept;
  RecordWriter& operator=(RecordWriter&&) = delete;
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  /// Finishes, if that was not done.
  ~RecordWriter();

  void write(const v1::SensorFrame& frame, const RecordTime& at);
  void write(const v1::StepInput& input, const RecordTime& at);
  void write(const v1::ActuatorFrame& command, const RecordTime& at);
  void write(const v1::Event& event, const RecordTime& at);
  void write(const v1::RecordedParameters& parameters, const RecordTime& at);
  void write(const v1::RecordedSnapshot& snapshot, const RecordTime& at);
  /// Messages that were lost on the way here, and why; counts as dropped.
  void add_lost(std::uint64_t messages, const std::string& why);

  /// Hands what was written to the system, so that it outlives this process. Call it about once a second: that much is
  /// lost when the process is killed. False where it failed.
  bool flush();
  /// Ends the file. An error where the summary is missing; the file can be read even then.
  Result<bool> finish();

  RecordCounters counters() const;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  RecordWriter(McapWriter mcap, std::filesystem::path path, RecordStart start);
  Result<bool> write_head(const RecordFacts& facts, const std::vector<RecordedFile>& files);
  void put(RecordChannel channel, const google::protobuf::MessageLite& message, const RecordTime& at);

  McapWriter mcap_;
  std::filesystem::path path_;
  RecordStart start_;
  std::array<std::uint16_t, kRecordChannels.size()> ids_{};
  std::uint64_t lost_ = 0;
  std::string why_lost_;
  bool is_open_ = true;
};

}  // namespace kinloop::record

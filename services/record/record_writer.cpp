// Serialises straight into the chunk.
#include "services/record/record_writer.hpp"

#include <google/protobuf/descriptor.h>

#include <system_error>
#include <utility>

namespace kinloop::record {
namespace {

std::string media_type_of(const std::filesystem::path& name) {
  const std::string ending = name.extension().string();
  if (ending == ".yaml" || ending == ".yml") return "application/yaml";
  if (ending == ".json") return "application/json";
  if (ending == ".urdf" || ending == ".sdf" || ending == ".xml") return "application/xml";
  return "application/octet-stream";
}

}  // namespace

RecordWriter::RecordWriter(McapWriter mcap, std::filesystem::path path, RecordStart start)
    : mcap_(std::move(mcap)), path_(std::move(path)), start_(start) {}

RecordWriter::RecordWriter(RecordWriter&& other) noexcept
    : mcap_(std::move(other.mcap_)),
      path_(std::move(other.path_)),
      start_(other.start_),
      ids_(other.ids_),
      lost_(other.lost_),
      why_lost_(std::move(other.why_lost_)),
      is_open_(std::exchange(other.is_open_, false)) {}

RecordWriter::~RecordWriter() {
  if (is_open_) (void)finish();
}

Result<RecordWriter> RecordWriter::begin(const std::filesystem::path& path, RecordFacts facts,
                                         const std::vector<RecordedFile>& files, RecordStart start) {
  facts.start = start;
  Result<McapWriter> mcap = McapWriter::create(path, "kinloop " + facts.description.program());
  if (!mcap) return mcap.error();
  RecordWriter writer(std::move(mcap).value(), path, start);
  const Result<bool> head = writer.write_head(facts, files);
  if (head) return writer;
  writer.is_open_ = false;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return head.error();
}

Result<bool> RecordWriter::write_head(const RecordFacts& facts, const std::vector<RecordedFile>& files) {
  // First, so that a file which is cut off early still says what it is.
  if (const auto done = mcap_.add_metadata({kFactsName, metadata_of(facts)}); !done) return done.error();
  for (const RecordChannel channel : kRecordChannels) {
    const google::protobuf::Descriptor& message = message_of(channel);
    const Result<std::uint16_t> schema = mcap_.add_schema({message.full_name(), "protobuf", schema_data(message)});
    if (!schema) return schema.error();
    const Result<std::uint16_t> id = mcap_.add_channel({*schema, std::string(topic_of(channel)), "protobuf", {}});
    if (!id) return id.error();
    ids_[static_cast<std::size_t>(channel)] = *id;
  }
  const std::uint64_t now_ns = start_.wall_at(start_.monotonic_ns);
  for (const RecordedFile& file : files) {
    const auto done = mcap_.add_attachment({now_ns, now_ns, file.name, media_type_of(file.name), file.data});
    if (!done) return done.error();
  }
  return true;
}

void RecordWriter::write(const v1::SensorFrame& frame, const RecordTime& at) {
  put(RecordChannel::kSensors, frame, at);
}
void RecordWriter::write(const v1::StepInput& input, const RecordTime& at) { put(RecordChannel::kInputs, input, at); }
void RecordWriter::write(const v1::ActuatorFrame& command, const RecordTime& at) {
  put(RecordChannel::kCommands, command, at);
}
void RecordWriter::write(const v1::Event& event, const RecordTime& at) { put(RecordChannel::kEvents, event, at); }
void RecordWriter::write(const v1::RecordedParameters& parameters, const RecordTime& at) {
  put(RecordChannel::kParameters, parameters, at);
}
void RecordWriter::write(const v1::RecordedSnapshot& snapshot, const RecordTime& at) {
  put(RecordChannel::kSnapshots, snapshot, at);
}

void RecordWriter::put(RecordChannel channel, const google::protobuf::MessageLite& message, const RecordTime& at) {
  require(is_open_, "the record is not finished");
  const std::uint64_t time_ns = start_.wall_at(at.monotonic_ns);
  const std::size_t size = message.ByteSizeLong();
  // MCAP counts in 32 bits; the messages themselves hold the whole number.
  const auto sequence = static_cast<std::uint32_t>(at.step);
  char* const room = mcap_.add_message({ids_[static_cast<std::size_t>(channel)], sequence, time_ns, time_ns}, size);
  if (room != nullptr) message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(room));
}

void RecordWriter::add_lost(std::uint64_t messages, const std::string& why) {
  lost_ += messages;
  why_lost_ = why;
}

bool RecordWriter::flush() { return mcap_.flush(); }

Result<bool> RecordWriter::finish() {
  if (!is_open_) return true;
  is_open_ = false;
  mcap_.flush();
  const RecordCounters now = counters();
  // Where there is no room for this, there is none for the summary either, which tells.
  (void)mcap_.add_metadata({kEndName, metadata_of(RecordEnd{now.messages, now.dropped, now.trouble})});
  return mcap_.finish();
}

RecordCounters RecordWriter::counters() const {
  const McapCounters mcap = mcap_.counters();
  const std::string& trouble = mcap_.trouble();
  return {mcap.messages + mcap.waiting, mcap.dropped + lost_, mcap.bytes, trouble.empty() ? why_lost_ : trouble};
}

}  // namespace kinloop::record

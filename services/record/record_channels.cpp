// Table of topics and messages; schemas as descriptor sets.
#include "services/record/record_channels.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <kinloop/v1/event.pb.h>
#include <kinloop/v1/frames.pb.h>
#include <kinloop/v1/record.pb.h>

#include <set>

namespace kinloop::record {
namespace {

namespace pb = google::protobuf;

constexpr std::array<std::string_view, kRecordChannels.size()> kTopics = {"sensors", "inputs",     "commands",
                                                                          "events",  "parameters", "snapshots"};

void add_file(const pb::FileDescriptor& file, std::set<std::string>& added, pb::FileDescriptorSet& files) {
  if (!added.insert(file.name()).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) add_file(*file.dependency(i), added, files);
  file.CopyTo(files.add_file());
}

}  // namespace

std::string_view topic_of(RecordChannel channel) noexcept { return kTopics[static_cast<std::size_t>(channel)]; }

std::optional<RecordChannel> find_channel(std::string_view topic) noexcept {
  for (const RecordChannel channel : kRecordChannels) {
    if (topic_of(channel) == topic) return channel;
  }
  return std::nullopt;
}

const pb::Descriptor& message_of(RecordChannel channel) {
  switch (channel) {
    case RecordChannel::kSensors:
      return *v1::SensorFrame::descriptor();
    case RecordChannel::kInputs:
      return *v1::StepInput::descriptor();
    case RecordChannel::kCommands:
      return *v1::ActuatorFrame::descriptor();
    case RecordChannel::kEvents:
      return *v1::Event::descriptor();
    case RecordChannel::kParameters:
      return *v1::RecordedParameters::descriptor();
    case RecordChannel::kSnapshots:
      break;
  }
  return *v1::RecordedSnapshot::descriptor();
}

std::string schema_data(const pb::Descriptor& message) {
  pb::FileDescriptorSet files;
  std::set<std::string> added;
  add_file(*message.file(), added, files);
  return files.SerializeAsString();
}

}  // namespace kinloop::record

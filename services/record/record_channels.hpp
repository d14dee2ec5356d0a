// Owns the channels of a record: their topics and the messages they carry.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace google::protobuf {
class Descriptor;
}

namespace kinloop::record {

enum class RecordChannel : std::size_t {
  kSensors,     // kinloop.v1.SensorFrame: what left the plant
  kInputs,      // kinloop.v1.StepInput: what entered each step
  kCommands,    // kinloop.v1.ActuatorFrame: what clients sent
  kEvents,      // kinloop.v1.Event
  kParameters,  // kinloop.v1.RecordedParameters
  kSnapshots,   // kinloop.v1.RecordedSnapshot
};

inline constexpr std::array kRecordChannels = {RecordChannel::kSensors,    RecordChannel::kInputs,
                                               RecordChannel::kCommands,   RecordChannel::kEvents,
                                               RecordChannel::kParameters, RecordChannel::kSnapshots};

/// "sensors".
std::string_view topic_of(RecordChannel channel) noexcept;
std::optional<RecordChannel> find_channel(std::string_view topic) noexcept;
const google::protobuf::Descriptor& message_of(RecordChannel channel);

/// The message's file and all that it imports, those first: a serialised FileDescriptorSet.
std::string schema_data(const google::protobuf::Descriptor& message);

}  // namespace kinloop::record

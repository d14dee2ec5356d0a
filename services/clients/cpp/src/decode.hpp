// Owns the reading of what a plant sends: any bytes go in, what comes out keeps its promises.
#pragma once

#include <kinloop/v1/frames.pb.h>
#include <kinloop/client/options.hpp>

#include <optional>
#include <string_view>

namespace kinloop::client {

/// What the frames of a plant have in common.
struct FrameShape {
  std::uint64_t schema_hash = 0;
  int sensors = 0;
};

enum class FrameCheck {
  kGood,
  kBad,      // no SensorFrame, or not one value and one quality for each sensor
  kForeign,  // of another schema
};

/// `frame` keeps its memory from one frame to the next.
FrameCheck decode_frame(std::string_view bytes, const FrameShape& shape, v1::SensorFrame& frame);

/// An ActuatorReply without its oneof, which would give the frame's memory away and take new for each.
struct FrameAnswer {
  std::uint64_t sequence = 0;
  bool has_frame = false, has_error = false;
  v1::SensorFrame frame;
  v1::Error error;
};

/// False where it is no ActuatorReply, or its frame is not good.
bool decode_answer(std::string_view bytes, const FrameShape& shape, FrameAnswer& answer);

/// False where it is no ControlReply, or one without an answer.
bool decode_reply(std::string_view bytes, v1::ControlReply& reply);

/// Nothing where the topic or the bytes are none of the schema.
std::optional<Event> decode_event(std::string_view topic, std::string_view bytes);

}  // namespace kinloop::client

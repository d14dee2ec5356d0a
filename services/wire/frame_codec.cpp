// Copies frames to messages and back, field by field.
#include "services/wire/frame_codec.hpp"

#include <algorithm>

namespace kinloop::wire {

void to_wire(const rt::SensorFrame& frame, std::uint64_t schema_hash, std::uint64_t sequence, v1::SensorFrame& out) {
  const auto count = static_cast<int>(std::min<std::size_t>(frame.count, rt::kMaxSensors));
  out.set_schema_hash(schema_hash);
  out.set_sequence(sequence);
  out.set_step(frame.step);
  out.set_time_s(frame.time_s);
  out.set_due_ns(frame.due_ns);
  out.set_start_ns(frame.start_ns);
  out.set_command_sequence(frame.command_sequence);
  out.set_command_age_ticks(static_cast<std::uint64_t>(frame.command_age_ticks));
  out.set_flags(frame.flags);
  out.set_level(static_cast<std::uint32_t>(frame.level));
  out.set_state_hash(frame.state_hash);
  out.mutable_value()->Resize(count, 0.0);
  std::copy_n(frame.value.begin(), count, out.mutable_value()->begin());
  // As characters: from iterators over bytes a string would make another string first.
  out.mutable_quality()->assign(reinterpret_cast<const char*>(frame.quality.data()),  // NOLINT: bytes
                                static_cast<std::size_t>(count));
}

Bytes FrameEncoder::encode(const rt::SensorFrame& frame, std::uint64_t sequence) {
  to_wire(frame, schema_hash_, sequence, frame_);
  return serialized(frame_);
}

Bytes FrameEncoder::encode_answer(std::uint64_t answered, const rt::SensorFrame& frame, std::uint64_t sequence) {
  reply_.set_sequence(answered);
  to_wire(frame, schema_hash_, sequence, *reply_.mutable_frame());
  return serialized(reply_);
}

Bytes FrameEncoder::encode_refusal(std::uint64_t answered, const v1::Error& error) {
  v1::ActuatorReply refusal;  // rare, and apart: the reply for frames keeps its memory
  refusal.set_sequence(answered);
  *refusal.mutable_error() = error;
  return serialized(refusal);
}

Bytes FrameEncoder::serialized(const google::protobuf::MessageLite& message) {
  const std::size_t size = message.ByteSizeLong();
  if (buffer_.size() < size) buffer_.resize(size);
  message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(buffer_.data()));  // NOLINT: bytes
  return {buffer_.data(), size};
}

bool decode(Bytes bytes, v1::ActuatorFrame& frame) {
  return frame.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace kinloop::wire

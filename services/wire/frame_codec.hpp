// Converts frames between shared memory and the wire. Messages and buffers are used again: nothing is allocated
// once they have grown.
#pragma once

#include <kinloop/v1/frames.pb.h>

#include <span>
#include <string_view>
#include <vector>

#include "rt/messages/frame.hpp"

namespace kinloop::wire {

using Bytes = std::span<const char>;

/// The plant's frame as a message; the sequence number is the wire's own.
void to_wire(const rt::SensorFrame& frame, std::uint64_t schema_hash, std::uint64_t sequence, v1::SensorFrame& out);

class FrameEncoder {
 public:
  explicit FrameEncoder(std::uint64_t schema_hash) : schema_hash_(schema_hash) {}

  /// Valid until the next call.
  Bytes encode(const rt::SensorFrame& frame, std::uint64_t sequence);
  /// As the answer to a frame in lockstep.
  Bytes encode_answer(std::uint64_t answered, const rt::SensorFrame& frame, std::uint64_t sequence);
  Bytes encode_refusal(std::uint64_t answered, const v1::Error& error);

 private:
  Bytes serialized(const google::protobuf::MessageLite& message);

  std::uint64_t schema_hash_;
  v1::SensorFrame frame_;
  v1::ActuatorReply reply_;
  std::vector<char> buffer_;
};

/// False where the bytes are no such message.
bool decode(Bytes bytes, v1::ActuatorFrame& frame);

}  // namespace kinloop::wire

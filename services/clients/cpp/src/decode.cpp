// protobuf checks the bytes; what it cannot know (counts, hashes) is checked here.
#include "src/decode.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>

namespace kinloop::client {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

bool parse(std::string_view bytes, google::protobuf::MessageLite& message) {
  return bytes.size() <= INT_MAX && message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

/// A field of `bytes` that has a length; nothing where it reaches beyond the end.
std::optional<std::string_view> read_block(CodedInputStream& in, std::string_view bytes) {
  std::uint32_t size = 0;
  if (!in.ReadVarint32(&size)) return std::nullopt;
  const auto start = static_cast<std::size_t>(in.CurrentPosition());
  if (size > INT_MAX || size > bytes.size() - start || !in.Skip(static_cast<int>(size))) return std::nullopt;
  return bytes.substr(start, size);
}

template <class Message>
std::optional<Event> event_of(std::string_view bytes) {
  Message message;
  if (!parse(bytes, message)) return std::nullopt;
  return Event(std::move(message));
}

}  // namespace

FrameCheck decode_frame(std::string_view bytes, const FrameShape& shape, v1::SensorFrame& frame) {
  if (!parse(bytes, frame)) return FrameCheck::kBad;
  if (frame.schema_hash() != shape.schema_hash) return FrameCheck::kForeign;
  const bool is_whole = frame.value_size() == shape.sensors &&
                        (frame.quality().empty() || frame.quality().size() == static_cast<std::size_t>(shape.sensors));
  return is_whole ? FrameCheck::kGood : FrameCheck::kBad;
}

bool decode_answer(std::string_view bytes, const FrameShape& shape, FrameAnswer& answer) {
  constexpr int kTagBits = 3;
  answer.sequence = 0;
  answer.has_frame = answer.has_error = false;
  if (bytes.size() > INT_MAX) return false;
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    const int field = static_cast<int>(tag >> kTagBits);
    const auto type = WireFormatLite::GetTagWireType(tag);
    const bool is_block = type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (field == v1::ActuatorReply::kSequenceFieldNumber && type == WireFormatLite::WIRETYPE_FIXED64) {
      if (!in.ReadLittleEndian64(&answer.sequence)) return false;
    } else if (field == v1::ActuatorReply::kFrameFieldNumber && is_block) {
      const auto block = read_block(in, bytes);
      if (!block || decode_frame(*block, shape, answer.frame) != FrameCheck::kGood) return false;
      answer.has_frame = true;
      answer.has_error = false;
    } else if (field == v1::ActuatorReply::kErrorFieldNumber && is_block) {
      const auto block = read_block(in, bytes);
      if (!block || !parse(*block, answer.error)) return false;
      answer.has_error = true;
      answer.has_frame = false;
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      return false;
    }
  }
  return in.ConsumedEntireMessage() && (answer.has_frame || answer.has_error);
}

bool decode_reply(std::string_view bytes, v1::ControlReply& reply) {
  return parse(bytes, reply) && reply.answer_case() != v1::ControlReply::ANSWER_NOT_SET;
}

std::optional<Event> decode_event(std::string_view topic, std::string_view bytes) {
  if (topic == "event") return event_of<v1::Event>(bytes);
  if (topic == "status") return event_of<v1::Status>(bytes);
  if (topic == "timing") return event_of<v1::Timing>(bytes);
  return std::nullopt;
}

}  // namespace kinloop::client

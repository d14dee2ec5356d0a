// The outermost fields alone.
#include "services/wire/request_head.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <kinloop/v1/control.pb.h>

namespace kinloop::wire {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kMaxFields = 32;

bool is_verb(int number) {
  const google::protobuf::FieldDescriptor* field = v1::ControlRequest::descriptor()->FindFieldByNumber(number);
  return field != nullptr && field->containing_oneof() != nullptr;
}

/// A body is passed over by its length: what is in it is not looked at.
bool pass_over(std::uint32_t tag, CodedInputStream& in) {
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
    return WireFormatLite::SkipField(&in, tag);
  }
  std::uint32_t size = 0;
  return in.ReadVarint32(&size) && size <= static_cast<std::uint32_t>(in.BytesUntilLimit()) &&
         in.Skip(static_cast<int>(size));
}

bool read_field(std::uint32_t tag, CodedInputStream& in, RequestHead& head) {
  constexpr auto kFixed = WireFormatLite::WIRETYPE_FIXED64;
  const int number = WireFormatLite::GetTagFieldNumber(tag);
  const auto type = WireFormatLite::GetTagWireType(tag);
  if (number == v1::ControlRequest::kVersionFieldNumber && type == WireFormatLite::WIRETYPE_VARINT) {
    return in.ReadVarint32(&head.version);
  }
  if (number == v1::ControlRequest::kClientFieldNumber && type == kFixed) return in.ReadLittleEndian64(&head.client);
  if (number == v1::ControlRequest::kRequestIdFieldNumber && type == kFixed) {
    return in.ReadLittleEndian64(&head.request_id);
  }
  if (is_verb(number) && type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
    if (head.verb != 0) return false;
    head.verb = number;
  }
  return pass_over(tag, in);
}

}  // namespace

std::optional<RequestHead> read_request_head(Bytes bytes) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  const auto limit = in.PushLimit(static_cast<int>(bytes.size()));
  RequestHead head;
  for (int i = 0; i < kMaxFields; ++i) {
    const std::uint32_t tag = in.ReadTag();
    if (tag == 0) {
      const bool is_whole = in.ConsumedEntireMessage() && in.BytesUntilLimit() == 0;
      in.PopLimit(limit);
      return is_whole ? std::optional(head) : std::nullopt;
    }
    if (!read_field(tag, in, head)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace kinloop::wire

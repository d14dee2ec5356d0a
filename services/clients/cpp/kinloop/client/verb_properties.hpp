// Owns the way from a verb to its properties, which stand in control.proto.
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/v1/verb.pb.h>

namespace kinloop::client {

/// Nothing is set where there is no such verb.
inline const v1::VerbProperties& properties_of(v1::ControlRequest::VerbCase verb) {
  const google::protobuf::FieldDescriptor* field = v1::ControlRequest::descriptor()->FindFieldByNumber(verb);
  return field == nullptr ? v1::VerbProperties::default_instance() : field->options().GetExtension(v1::properties);
}

}  // namespace kinloop::client

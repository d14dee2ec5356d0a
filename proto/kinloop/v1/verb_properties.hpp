// Owns the way from a verb to its properties, which stand in control.proto.
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/v1/verb.pb.h>

namespace kinloop::v1 {

/// Nothing is set where there is no such verb.
inline const VerbProperties& properties_of(ControlRequest::VerbCase verb) {
  const google::protobuf::FieldDescriptor* field = ControlRequest::descriptor()->FindFieldByNumber(verb);
  return field == nullptr ? VerbProperties::default_instance() : field->options().GetExtension(properties);
}

}  // namespace kinloop::v1

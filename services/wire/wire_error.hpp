// Owns the making of typed errors for the wire.
#pragma once

#include <kinloop/v1/error.pb.h>

#include <string>

namespace kinloop::wire {

inline v1::Error wire_error(v1::ErrorCode code, std::string message, std::string field = "") {
  v1::Error error;
  error.set_code(code);
  error.set_message(std::move(message));
  error.set_field(std::move(field));
  return error;
}

}  // namespace kinloop::wire

// Owns RequestHead: what a ControlRequest asks for, read without its body.
#pragma once

#include <cstdint>
#include <optional>

#include "services/wire/frame_codec.hpp"

namespace kinloop::wire {

struct RequestHead {
  std::uint32_t version = 0;
  std::uint64_t client = 0;
  std::uint64_t request_id = 0;
  int verb = 0;  // its number among the fields of ControlRequest; 0: none
};

/// Passes over the bodies: whatever a verb holds, this takes as long. Nothing where the bytes are no message, where
/// they name more than one verb, or where they have more fields than a client of ours would write.
std::optional<RequestHead> read_request_head(Bytes bytes);

}  // namespace kinloop::wire

// Owns Call: a request that is being answered.
#pragma once

#include <cstdint>
#include <memory>

#include "services/io/reply_cache.hpp"
#include "services/security/role.hpp"

namespace kinloop::io {

struct Call {
  Envelope from;
  v1::ControlRequest request;
  v1::ControlReply reply;
  security::Caller caller;
  std::int64_t now_ns = 0;  // when it came

  /// Of the request, among those of all clients.
  std::uint64_t key() const { return key_of(request.request_id()); }
  /// The same for another request of this client.
  std::uint64_t key_of(std::uint64_t request_id) const;
  /// For the plant, which does numbered requests once; 0 where it has no number.
  std::uint64_t plant_id() const;
};
using CallPtr = std::shared_ptr<Call>;

}  // namespace kinloop::io

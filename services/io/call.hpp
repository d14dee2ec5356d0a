// Owns Call: a request that is being answered.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <cstdint>
#include <memory>

#include "services/io/quota.hpp"
#include "services/io/reply_cache.hpp"
#include "services/security/role.hpp"

namespace kinloop::io {

struct Call {
  Envelope from;
  v1::ControlRequest request;
  v1::ControlReply reply;
  security::Caller caller;
  std::uint64_t hash = 0;   // of the request's bytes
  std::int64_t now_ns = 0;  // when it came
  Quota::Share share;       // of its connection's quota, for as long as it is under way

  /// By which it is known when it comes again. An emergency stop is never known: each one is done.
  RequestId id() const;
  const std::string& sender() const { return from.front(); }
  /// Of the job of this request, among those of all clients.
  std::uint64_t key() const { return key_of(request.request_id()); }
  /// The same for another request of this client.
  std::uint64_t key_of(std::uint64_t request_id) const;
  /// For the plant, which does numbered requests once; 0 where it has no number.
  std::uint64_t plant_id() const;
};
using CallPtr = std::shared_ptr<Call>;

}  // namespace kinloop::io

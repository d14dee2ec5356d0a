// Gives each request to the plant a number, by which its reply is found again.
#include "services/io/call.hpp"

#include <string>

#include "rt/messages/request.hpp"
#include "services/wire/hash.hpp"

namespace kinloop::io {

std::uint64_t Call::key_of(std::uint64_t request_id) const {
  return wire::hash_of(std::to_string(request.client()) + ":" + std::to_string(request_id)) >> 1U;
}

std::uint64_t Call::plant_id() const {
  const bool is_numbered = request.request_id() != 0 && request.client() != 0;
  return is_numbered ? rt::Request::kNumbered | key() : 0;
}

}  // namespace kinloop::io

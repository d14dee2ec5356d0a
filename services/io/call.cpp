// Gives each request to the plant a number, by which its reply is found again.
#include "services/io/call.hpp"

#include <string>

#include "rt/messages/request.hpp"
#include "services/wire/hash.hpp"

namespace kinloop::io {

RequestId Call::id() const {
  const bool is_stop = request.has_emergency_stop();
  return {security::user_id(caller), request.client(), is_stop ? 0 : request.request_id()};
}

std::uint64_t Call::key_of(std::uint64_t request_id) const {
  return wire::hash_of(security::user_id(caller) + ":" + std::to_string(request.client()) + ":" +
                       std::to_string(request_id));
}

std::uint64_t Call::plant_id() const {
  if (!id().is_numbered()) return 0;
  const std::string text = std::to_string(key()) + ":" + std::to_string(hash);
  return rt::Request::kNumbered | wire::hash_of(text) >> 1U;
}

}  // namespace kinloop::io

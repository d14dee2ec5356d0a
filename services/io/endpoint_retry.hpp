// Owns EndpointRetry: tries the addresses of one socket again that others had taken.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "services/io/sockets.hpp"

namespace kinloop::io {

/// By the thread that uses the socket.
class EndpointRetry {
 public:
  /// `tell` is called in that thread with each that could be bound. Null sockets: there is nothing to try.
  EndpointRetry(Sockets* sockets, net::Channel channel, std::function<void(const std::string&)> tell)
      : sockets_(sockets), channel_(channel), tell_(std::move(tell)) {}

  /// Often; it does something once a second at most.
  void try_again(std::int64_t now_ns) {
    if (sockets_ == nullptr || now_ns < next_ns_) return;
    next_ns_ = now_ns + kBetween_ns;
    std::vector<net::BindAddress>& down = sockets_->down[static_cast<std::size_t>(channel_)];
    std::erase_if(down, [&](const net::BindAddress& address) {
      const security::SecretKey* key = sockets_->server_key ? &*sockets_->server_key : nullptr;
      if (!net::bind_again(address, key, sockets_->of(channel_))) return false;
      tell_(address.endpoint);
      return true;
    });
  }

 private:
  static constexpr std::int64_t kBetween_ns = 1'000'000'000;

  Sockets* sockets_;
  net::Channel channel_;
  std::function<void(const std::string&)> tell_;
  std::int64_t next_ns_ = 0;
};

}  // namespace kinloop::io

// Owns WebServer: HTTP and WebSockets at one address, in the thread of an io_context. The one place that knows Beast.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.hpp"
#include "services/gateway/connection_limiter.hpp"
#include "services/gateway/web_handler.hpp"

namespace kinloop::gateway {

struct WebBounds {
  ConnectionLimiter::Bounds connections;
  std::chrono::milliseconds first_request{5000};  // of a new connection, to be there whole
  std::chrono::milliseconds next_request{30000};  // the same for later ones, and for an answer to be read
};

class WebServer {
 public:
  /// Bound and listening; nothing is accepted before the context runs. `handler` must outlive the context's run.
  /// `spare_ports`: how many after this one may be taken instead where it is in use.
  static Result<std::unique_ptr<WebServer>> open(boost::asio::io_context& context, const std::string& host,
                                                 std::uint16_t port, int spare_ports, WebHandler& handler,
                                                 const WebBounds& bounds = {});
  virtual ~WebServer() = default;

  virtual std::uint16_t port() const = 0;
};

}  // namespace kinloop::gateway

// Owns WebServer: HTTP and WebSockets at one address, in the thread of an io_context. The one place that knows Beast.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.hpp"
#include "services/gateway/web_handler.hpp"

namespace kinloop::gateway {

class WebServer {
 public:
  /// Bound and listening; nothing is accepted before the context runs. `handler` must outlive the context's run.
  /// `spare_ports`: how many after this one may be taken instead where it is in use.
  static Result<std::unique_ptr<WebServer>> open(boost::asio::io_context& context, const std::string& host,
                                                 std::uint16_t port, int spare_ports, WebHandler& handler);
  virtual ~WebServer() = default;

  virtual std::uint16_t port() const = 0;
};

}  // namespace kinloop::gateway

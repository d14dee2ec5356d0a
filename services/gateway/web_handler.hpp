// Owns what a web server and its owner say to each other. All of it happens in the server's one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace kinloop::gateway {

/// What somebody asks for.
struct WebRequest {
  std::string method;  // "GET"
  std::string path;    // "/api/status", without the query
  std::string host;    // as the browser names the server: "127.0.0.1:8080"
  std::string origin;  // of the page that asks; empty: no page does
  std::string token;   // that it shows; empty: none
  std::string content_type;
  std::string body;
};

struct WebReply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
};

/// A page that is connected, seen from the gateway.
class WebPeer {
 public:
  virtual ~WebPeer() = default;

  /// Pictures give way to newer ones where the page is too slow; all else is kept, up to a bound at which the
  /// connection is closed.
  enum class Kind { kPicture, kWord };
  virtual void send(std::shared_ptr<const std::string> bytes, Kind kind) = 0;
};

/// Takes the messages of one WebSocket: a page that is connected, seen from the server.
class SocketHandler {
 public:
  virtual ~SocketHandler() = default;
  /// A message, whatever it holds.
  virtual void take(std::string_view bytes) = 0;
  /// Once, at the end.
  virtual void leave() = 0;
};

/// Codes of closed connections that a page understands.
namespace close_code {
inline constexpr std::uint16_t kNoToken = 4401;
inline constexpr std::uint16_t kForbidden = 4403;
inline constexpr std::uint16_t kTooMany = 4429;
}  // namespace close_code

class WebHandler {
 public:
  virtual ~WebHandler() = default;

  /// `reply` is called once, now or later.
  virtual void answer(const WebRequest& request, std::function<void(WebReply)> reply) = 0;
  /// A page wants to connect. Without a handler it is turned away with the code.
  struct Entry {
    std::shared_ptr<SocketHandler> handler;
    std::uint16_t refusal = 0;
  };
  virtual Entry enter(const WebRequest& request, std::shared_ptr<WebPeer> peer) = 0;
  /// Where pages may connect to besides this server, as sources of a Content-Security-Policy; may be empty.
  virtual std::string also_connects_to() const = 0;
};

}  // namespace kinloop::gateway

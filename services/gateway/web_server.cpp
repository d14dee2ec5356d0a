// Accepts connections; each reads one request after the other, or becomes a WebSocket.
#include "services/gateway/web_server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "services/gateway/access.hpp"
#include "services/gateway/web_socket.hpp"

namespace kinloop::gateway {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::uint32_t kMaxHeader = 16U << 10U;
constexpr std::uint64_t kMaxBody = std::uint64_t{1} << 20U;

std::string text(boost::beast::string_view view) { return {view.data(), view.size()}; }

WebRequest plain(const http::request<http::string_body>& request) {
  WebRequest plain;
  plain.method = text(request.method_string());
  const std::string target = text(request.target());
  plain.path = target.substr(0, target.find('?'));
  plain.host = text(request[http::field::host]);
  plain.origin = text(request[http::field::origin]);
  plain.token = bearer_token(text(request[http::field::authorization]));
  plain.content_type = text(request[http::field::content_type]);
  plain.body = request.body();
  return plain;
}

class HttpSession : public std::enable_shared_from_this<HttpSession>, public LimitedConnection {
 public:
  HttpSession(tcp::socket socket, WebHandler& handler, const WebBounds& bounds)
      : stream_(std::move(socket)), handler_(handler), bounds_(bounds), patience_(bounds.first_request) {}

  /// Which counts as long as the connection lasts.
  void begin(std::shared_ptr<ConnectionLimiter::Slot> slot) {
    slot_ = std::move(slot);
    read();
  }
  /// It waits for a request, and somebody else wants its place.
  void leave() override { stream_.cancel(); }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->body_limit(kMaxBody);
    stream_.expires_after(std::exchange(patience_, bounds_.next_request));
    slot_->set_idle(true);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_read(error); });
  }

 private:
  void on_read(beast::error_code error) {
    slot_->set_idle(false);
    if (error == http::error::body_limit) return refuse(http::status::payload_too_large);
    if (error == http::error::header_limit) return refuse(http::status::request_header_fields_too_large);
    if (error) return close();
    const WebRequest request = plain(parser_->get());
    if (beast::websocket::is_upgrade(parser_->get())) {
      if (request.path != "/ws") return refuse(http::status::not_found);
      return open_web_socket(std::move(stream_), parser_->release(), request, handler_, slot_);
    }
    stream_.expires_never();  // while the answer is made
    handler_.answer(request, [self = shared_from_this()](WebReply reply) { self->write(std::move(reply)); });
  }

  void refuse(http::status status) { write({static_cast<unsigned>(status), "text/plain", ""}); }

  void write(WebReply reply) {
    const bool is_head = parser_->get().method() == http::verb::head;
    const bool goes_on = parser_->is_done() && parser_->get().keep_alive() && reply.status < 500;
    response_ = {};
    response_.result(reply.status);
    response_.version(11);
    response_.set(http::field::server, "kinloop");
    response_.set(http::field::content_type, reply.type);
    response_.set(http::field::cache_control, "no-cache");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("X-Frame-Options", "DENY");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set(
        "Content-Security-Policy",
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self' " +
            handler_.also_connects_to() + "; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    response_.body() = std::move(reply.body);
    response_.prepare_payload();
    if (is_head) response_.body().clear();
    response_.keep_alive(goes_on);
    stream_.expires_after(bounds_.next_request);
    http::async_write(stream_, response_, [self = shared_from_this(), goes_on](beast::error_code error, std::size_t) {
      if (error || !goes_on) return self->close();
      self->read();
    });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  WebHandler& handler_;
  WebBounds bounds_;
  std::chrono::milliseconds patience_;
  std::shared_ptr<ConnectionLimiter::Slot> slot_;
};

class BeastServer final : public WebServer {
 public:
  BeastServer(tcp::acceptor acceptor, WebHandler& handler, const WebBounds& bounds)
      : acceptor_(std::move(acceptor)), handler_(handler), bounds_(bounds), limiter_(bounds.connections) {}

  std::uint16_t port() const override { return acceptor_.local_endpoint().port(); }

  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) {
        admit(std::move(socket));
        return accept();
      }
      // No descriptor left, say: wait, rather than ask again and again.
      pause_.expires_after(std::chrono::milliseconds(100));
      pause_.async_wait([this](beast::error_code stopped) {
        if (!stopped) accept();
      });
    });
  }

 private:
  void admit(tcp::socket socket) {
    beast::error_code error;
    const std::string address = socket.remote_endpoint(error).address().to_string();
    if (error) return;  // gone already
    socket.set_option(tcp::no_delay(true), error);
    const auto session = std::make_shared<HttpSession>(std::move(socket), handler_, bounds_);
    if (auto slot = limiter_.admit(address, session)) session->begin(std::move(slot));
  }

  tcp::acceptor acceptor_;
  WebHandler& handler_;
  WebBounds bounds_;
  ConnectionLimiter limiter_;
  asio::steady_timer pause_{acceptor_.get_executor()};
};

beast::error_code bind(const tcp::endpoint& place, tcp::acceptor& acceptor) {
  beast::error_code error;
  acceptor.open(place.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(place, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::open(asio::io_context& context, const std::string& host,
                                                   std::uint16_t port, int spare_ports, WebHandler& handler,
                                                   const WebBounds& bounds) {
  beast::error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  const std::string name = host + ":" + std::to_string(port);
  if (error) return Error{name, "is no address: give numbers, 127.0.0.1:8080 or [::1]:8080, not a name"};
  for (int i = 0; i <= spare_ports; ++i) {
    tcp::acceptor acceptor(context);
    error = bind({address, static_cast<std::uint16_t>(port + i)}, acceptor);
    if (!error) {
      auto server = std::make_unique<BeastServer>(std::move(acceptor), handler, bounds);
      server->accept();
      return std::unique_ptr<WebServer>(std::move(server));
    }
    if (error != asio::error::address_in_use) break;
  }
  return Error{name, error.message()};
}

}  // namespace kinloop::gateway

// One read and one write under way at a time.
#include "services/gateway/web_socket.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>

namespace kinloop::gateway {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

constexpr std::size_t kMaxMessage = std::size_t{1} << 20U;
constexpr std::size_t kMaxWaitingBytes = std::size_t{32} << 20U;
constexpr std::size_t kMaxPictures = 3;   // that wait
constexpr int kMaxMessagesInWindow = 50;  // then it is not read until the window ends
constexpr std::chrono::milliseconds kWindow{100};
constexpr std::string_view kProtocol = "kinloop.v1";
constexpr std::string_view kTokenPrefix = "token.";

/// Browsers cannot send a header of their own with a WebSocket, so the token stands among the protocols.
std::string token_of(std::string_view protocols) {
  while (!protocols.empty()) {
    const std::size_t end = std::min(protocols.find(','), protocols.size());
    std::string_view one = protocols.substr(0, end);
    protocols.remove_prefix(std::min(end + 1, protocols.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one.starts_with(kTokenPrefix)) return std::string(one.substr(kTokenPrefix.size()));
  }
  return {};
}

class WebSocket final : public WebPeer, public std::enable_shared_from_this<WebSocket> {
 public:
  WebSocket(beast::tcp_stream stream, WebHandler& handler, std::shared_ptr<void> kept)
      : stream_(std::move(stream)), handler_(handler), kept_(std::move(kept)) {}

  void accept(const http::request<http::string_body>& upgrade, WebRequest request) {
    const beast::string_view offered = upgrade[http::field::sec_websocket_protocol];
    const std::string protocols(offered.data(), offered.size());
    if (request.token.empty()) request.token = token_of(protocols);
    beast::get_lowest_layer(stream_).expires_never();  // the WebSocket has times of its own
    stream_.set_option(websocket::stream_base::timeout{std::chrono::seconds(5), std::chrono::seconds(10), true});
    stream_.set_option(websocket::stream_base::decorator(
        [has_protocol = protocols.find(kProtocol) != std::string::npos](websocket::response_type& response) {
          response.set(http::field::server, "kinloop");
          if (has_protocol)
            response.set(http::field::sec_websocket_protocol, beast::string_view(kProtocol.data(), kProtocol.size()));
        }));
    stream_.read_message_max(kMaxMessage);
    stream_.binary(true);
    stream_.async_accept(upgrade, [self = shared_from_this(), request = std::move(request)](beast::error_code error) {
      if (!error) self->begin(request);
    });
  }

  void send(std::shared_ptr<const std::string> bytes, Kind kind) override {
    if (is_closing_) return;
    if (kind == Kind::kPicture) make_room_for_picture();
    waiting_bytes_ += bytes->size();
    waiting_.push_back({std::move(bytes), kind});
    if (waiting_bytes_ > kMaxWaitingBytes) return close(websocket::close_code::policy_error);
    if (!is_writing_) write();
  }

 private:
  struct Message {
    std::shared_ptr<const std::string> bytes;
    Kind kind;
  };

  void begin(const WebRequest& request) {
    WebHandler::Entry entry = handler_.enter(request, shared_from_this());
    if (!entry.handler) return close(entry.refusal);
    socket_handler_ = std::move(entry.handler);
    read();
  }

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return self->end();
      const auto data = self->buffer_.cdata();
      if (self->socket_handler_) self->socket_handler_->take({static_cast<const char*>(data.data()), data.size()});
      self->buffer_.consume(self->buffer_.size());
      self->read_on();
    });
  }

  /// Who sends too much is not read for a while: it fills its own socket, and nobody else waits.
  void read_on() {
    const auto now = std::chrono::steady_clock::now();
    if (now >= window_end_) {
      window_end_ = now + kWindow;
      in_window_ = 0;
    }
    if (++in_window_ <= kMaxMessagesInWindow) return read();
    pause_.expires_at(window_end_);
    pause_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->read();
    });
  }

  /// The oldest that waits goes, never the one that is being written.
  void make_room_for_picture() {
    const auto first = waiting_.begin() + (is_writing_ ? 1 : 0);
    const auto is_picture = [](const Message& message) { return message.kind == Kind::kPicture; };
    if (std::count_if(first, waiting_.end(), is_picture) < static_cast<std::ptrdiff_t>(kMaxPictures)) return;
    const auto oldest = std::find_if(first, waiting_.end(), is_picture);
    waiting_bytes_ -= oldest->bytes->size();
    waiting_.erase(oldest);
  }

  void write() {
    is_writing_ = true;
    stream_.async_write(asio::buffer(*waiting_.front().bytes),
                        [self = shared_from_this()](beast::error_code error, std::size_t) {
                          self->waiting_bytes_ -= self->waiting_.front().bytes->size();
                          self->waiting_.pop_front();
                          self->is_writing_ = false;
                          if (error) return self->end();
                          if (!self->waiting_.empty() && !self->is_closing_) self->write();
                        });
  }

  void close(std::uint16_t code) {
    if (std::exchange(is_closing_, true)) return;
    stream_.async_close(websocket::close_reason(code), [self = shared_from_this()](beast::error_code) { self->end(); });
  }

  void end() {
    is_closing_ = true;
    if (const auto handler = std::exchange(socket_handler_, nullptr)) handler->leave();
  }

  websocket::stream<beast::tcp_stream> stream_;
  WebHandler& handler_;
  std::shared_ptr<void> kept_;
  std::shared_ptr<SocketHandler> socket_handler_;
  beast::flat_buffer buffer_;
  std::deque<Message> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool is_writing_ = false, is_closing_ = false;
  std::chrono::steady_clock::time_point window_end_;
  int in_window_ = 0;
  asio::steady_timer pause_{stream_.get_executor()};
};

}  // namespace

void open_web_socket(beast::tcp_stream stream, const http::request<http::string_body>& upgrade,
                     const WebRequest& request, WebHandler& handler, std::shared_ptr<void> kept) {
  std::make_shared<WebSocket>(std::move(stream), handler, std::move(kept))->accept(upgrade, request);
}

}  // namespace kinloop::gateway

// A context, a thread, a server and what it serves.
#include "services/gateway/gateway.hpp"

#include <pthread.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <thread>

#include "rt/timing/clock.hpp"
#include "services/gateway/hub.hpp"
#include "services/gateway/web_server.hpp"

namespace kinloop::gateway {
namespace {

constexpr std::chrono::milliseconds kLastWords{150};
constexpr std::chrono::milliseconds kBetweenBeats{200};

/// Of a page that was served before, at whatever address.
std::optional<std::uint16_t> earlier_port(const std::vector<v1::Endpoint>& earlier) {
  for (const v1::Endpoint& endpoint : earlier) {
    if (endpoint.socket() != kPanelEndpoint) continue;
    const auto address = parse_panel_address(host_of_origin(endpoint.address()));
    if (address) return address->port;
  }
  return std::nullopt;
}

class ThreadedGateway final : public Gateway {
 public:
  ThreadedGateway(PanelAddress address, log::Logger log, rt::Beat& beat)
      : address_(std::move(address)), log_(log), beat_(beat) {}
  ~ThreadedGateway() override {
    if (!thread_.joinable()) return;
    boost::asio::post(context_, [this] {  // pages are still told how the plant ended
      last_words_.expires_after(kLastWords);
      last_words_.async_wait([this](boost::system::error_code) { context_.stop(); });
    });
    thread_.join();
  }

  std::optional<Error> start(const GatewayOptions& options, const v1::Description& description, Access access) {
    auto rig = load_rig(options.directory / "rig.yaml");
    if (!rig) return rig.error().front();
    hub_.emplace(context_, sockets_, std::move(access), description, std::move(rig).value(), options.directory, log_);
    auto server = WebServer::open(context_, address_.host, address_.port, address_.spare_ports, *hub_);
    if (!server) return server.error();
    server_ = std::move(server).value();
    thread_ = std::thread([this] { serve(); });
    return std::nullopt;
  }

  std::string url() const override { return url_of(address_, server_->port()); }

 private:
  void serve() {
    ::pthread_setname_np(::pthread_self(), "gateway");  // for ps and top
    show_life();
    while (!context_.stopped()) {
      try {
        context_.run();
        break;
      } catch (const std::exception& error) {  // of a library, about one message: the others are served on
        log_.warning(std::string("a message was given up: ") + error.what());
      }
    }
    beat_.end();
  }
  void show_life() {
    beat_.show(rt::MonotonicClock().now_ns());
    hub_->look();
    next_beat_.expires_after(kBetweenBeats);
    next_beat_.async_wait([this](boost::system::error_code failed) {
      if (!failed) show_life();
    });
  }

  PanelAddress address_;
  log::Logger log_;
  rt::Beat& beat_;
  zmq::context_t sockets_;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer last_words_{context_}, next_beat_{context_};
  std::optional<Hub> hub_;
  std::unique_ptr<WebServer> server_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Gateway>> Gateway::open(const GatewayOptions& options, const v1::Description& description,
                                               const std::vector<v1::Endpoint>& earlier, log::Logger log,
                                               rt::Beat& beat) {
  if (!local_endpoints(description).are_complete()) {
    return Error{"--panel", "needs the plant's sockets: leave --listen none out"};
  }
  Tokens tokens;
  if (!options.tokens.empty()) {
    auto read = Tokens::read(options.tokens);
    if (!read) return read.error();
    tokens = std::move(read).value();
  } else if (!options.address.is_loopback) {
    return Error{"--panel", "other hosts can reach that address: give --panel-tokens, who may come in"};
  }
  PanelAddress address = options.address;
  address.port = earlier_port(earlier).value_or(address.port);
  auto gateway = std::make_unique<ThreadedGateway>(address, log, beat);
  if (const auto error = gateway->start(options, description, Access(options.address, std::move(tokens)))) {
    return *error;
  }
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace kinloop::gateway

// Tests that connections that do nothing keep nobody out.
#include "services/gateway/web_server.hpp"

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <thread>
#include <vector>

namespace kinloop::gateway {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

struct SilentConnection final : LimitedConnection {
  void leave() override { has_left = true; }
  bool has_left = false;
};

TEST(ConnectionLimiter, WhoHasWaitedLongestMakesRoom) {
  ConnectionLimiter limiter({2, 3});
  const auto a = std::make_shared<SilentConnection>();
  const auto b = std::make_shared<SilentConnection>();
  const auto c = std::make_shared<SilentConnection>();
  auto slot_a = limiter.admit("here", a);
  auto slot_b = limiter.admit("here", b);
  slot_b->set_idle(true);
  slot_a->set_idle(true);

  const auto slot_c = limiter.admit("here", c);

  ASSERT_NE(slot_c, nullptr);
  EXPECT_TRUE(b->has_left);
  EXPECT_FALSE(a->has_left);
  EXPECT_EQ(limiter.count(), 2U);
  slot_a->set_idle(false);
  EXPECT_EQ(limiter.admit("here", b), nullptr) << "both others do something";
  EXPECT_NE(limiter.admit("there", b), nullptr);
  slot_a.reset();
  EXPECT_NE(limiter.admit("here", b), nullptr);
  EXPECT_EQ(limiter.count(), 1U);
}

TEST(ConnectionLimiter, OneAddressDoesNotTakeTheRoomOfAnother) {
  ConnectionLimiter limiter({2, 3});
  const auto here = std::make_shared<SilentConnection>();
  const auto there = std::make_shared<SilentConnection>();
  const auto slot_there = limiter.admit("there", there);
  slot_there->set_idle(true);
  std::vector<std::shared_ptr<ConnectionLimiter::Slot>> slots;
  for (int i = 0; i < 10; ++i) {
    slots.push_back(limiter.admit("here", here));
    slots.back()->set_idle(true);
  }

  EXPECT_FALSE(there->has_left);
  EXPECT_EQ(limiter.count(), 3U);
}

/// Says yes to all.
class Agreeable final : public WebHandler {
 public:
  void answer(const WebRequest& /*request*/, std::function<void(WebReply)> reply) override {
    reply({200, "text/plain", "yes"});
  }
  Entry enter(const WebRequest& /*request*/, std::shared_ptr<WebPeer> /*peer*/) override { return {nullptr, 4403}; }
  std::string also_connects_to() const override { return ""; }
};

class WebServerTest : public testing::Test {
 protected:
  explicit WebServerTest(WebBounds bounds = {})
      : server_(WebServer::open(context_, "127.0.0.1", 0, 0, handler_, bounds).value()),
        thread_([this] { context_.run(); }) {}
  ~WebServerTest() override {
    context_.stop();
    thread_.join();
  }

  tcp::socket connect() {
    tcp::socket socket(clients_);
    socket.connect({asio::ip::address_v4::loopback(), server_->port()});
    return socket;
  }
  /// What comes until the connection ends; empty: it was ended without a word.
  std::string ask(tcp::socket socket) {
    boost::system::error_code error;
    asio::write(socket, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")), error);
    std::string answer;
    asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  }
  static bool is_ended(tcp::socket& socket) {
    boost::system::error_code error;
    char byte = 0;
    socket.read_some(asio::buffer(&byte, 1), error);
    return error == asio::error::eof || error == asio::error::connection_reset;
  }

  asio::io_context context_{1}, clients_{1};
  Agreeable handler_;
  std::unique_ptr<WebServer> server_;
  std::thread thread_;
};

/// 256 of them used to lock everybody out for half a minute.
TEST_F(WebServerTest, HundredsOfHalfOpenConnectionsLockNobodyOut) {
  std::vector<tcp::socket> silent;
  for (int i = 0; i < 400; ++i) {
    silent.push_back(connect());
    if (i % 2 == 0) asio::write(silent.back(), asio::buffer(std::string("GET / HTTP/1.1\r\nHost")));
  }

  for (int i = 0; i < 10; ++i) EXPECT_NE(ask(connect()).find("200 OK"), std::string::npos);

  EXPECT_TRUE(is_ended(silent.front())) << "the longest have made room";
}

class ImpatientWebServer : public WebServerTest {
 protected:
  ImpatientWebServer() : WebServerTest({{}, 100ms, 30s}) {}
};

TEST_F(ImpatientWebServer, ARequestThatDoesNotComeIsNotWaitedFor) {
  tcp::socket silent = connect();
  tcp::socket half = connect();
  asio::write(half, asio::buffer(std::string("GET / HTTP/1.1\r\nHo")));

  EXPECT_TRUE(is_ended(silent));
  EXPECT_TRUE(is_ended(half));
}

}  // namespace
}  // namespace kinloop::gateway

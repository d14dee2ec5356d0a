// Owns AsyncControlClient: requests of the gateway itself and of scripts, over one connection to the plant.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>

#include "services/gateway/plant_endpoints.hpp"
#include "services/gateway/socket_watch.hpp"

namespace kinloop::gateway {

class AsyncControlClient {
 public:
  using Answer = std::function<void(const v1::ControlReply&)>;

  AsyncControlClient(boost::asio::io_context& context, zmq::context_t& sockets, const std::string& control,
                     std::uint64_t client);

  /// `answer` is called once; with an error where the plant does not answer in time.
  void ask(v1::ControlRequest request, Answer answer);

 private:
  struct Waiting {
    Answer answer;
    std::int64_t until_ns = 0;
    std::uint64_t asked_as = 0;  // the number that the asker gave it
  };

  void take(zmq::message_t& part, bool has_more);
  void sweep();

  std::uint64_t client_;
  zmq::socket_t socket_;
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t last_id_ = 0;
  boost::asio::steady_timer timer_;
  SocketWatch watch_;
};

}  // namespace kinloop::gateway

// DEALER and ROUTER, as between a client and a plant.
#include "bench/roundtrip/ping_pong.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace kinloop::bench {
namespace {

/// Waits as io does: for a socket to become readable.
[[noreturn]] void answer_for_ever(const std::string& address, std::size_t back) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.bind(address);
  const std::string answer(back, 'b');
  zmq::message_t sender;
  zmq::message_t body;
  while (true) {
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(-1));
    if (!socket.recv(sender) || !socket.recv(body)) continue;
    socket.send(sender, zmq::send_flags::sndmore);
    socket.send(zmq::buffer(answer));
  }
}

}  // namespace

PingPong::PingPong(const std::string& folder, std::size_t there, std::size_t back)
    : address_("ipc://" + folder + "/ping-pong"), message_(there, 'a') {
  other_ = ::fork();  // before this process has a context
  if (other_ == 0) answer_for_ever(address_, back);
  context_ = zmq::context_t();
  socket_ = zmq::socket_t(context_, zmq::socket_type::dealer);
  socket_.connect(address_);
}

PingPong::~PingPong() {
  ::kill(other_, SIGKILL);
  ::waitpid(other_, nullptr, 0);
}

void PingPong::once() {
  socket_.send(zmq::buffer(message_));
  static_cast<void>(socket_.recv(answer_));
}

}  // namespace kinloop::bench

// Floods over raw sockets, and signals.
#include "bench/stop/attacks.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kinloop/v1/control.pb.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>
#include <zmq.hpp>

namespace kinloop::bench {
namespace {

using namespace std::chrono_literals;

/// Works in threads of its own.
class Repeated final : public Attack {
 public:
  Repeated(int threads, const std::function<void(const std::atomic<bool>& ends)>& work) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this, work] { work(ends_); });
  }
  ~Repeated() override {
    ends_.store(true);
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

/// Sends messages as fast as they are taken, and throws answers away.
std::unique_ptr<Attack> flood(const RigProcess& run, const std::function<std::string(std::mt19937_64&)>& message) {
  return std::make_unique<Repeated>(2, [address = run.control(), message](const std::atomic<bool>& ends) {
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(address);
    std::mt19937_64 random(1);
    while (!ends.load()) {
      const bool sent = socket.send(zmq::buffer(message(random)), zmq::send_flags::dontwait).has_value();
      zmq::message_t answer;
      while (socket.recv(answer, zmq::recv_flags::dontwait)) continue;
      if (!sent) std::this_thread::sleep_for(1ms);
    }
  });
}

std::string status_request(std::mt19937_64& /*random*/) {
  v1::ControlRequest request;
  request.set_version(1);
  request.mutable_status();
  return request.SerializeAsString();
}

std::string garbage(std::mt19937_64& random) {
  std::string bytes(random() % 4096, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// 3 MB of command sequences, which io parses and hands to its jobs.
std::string big_request(std::mt19937_64& /*random*/) {
  static const std::string kBytes = [] {
    v1::ControlRequest request;
    request.set_version(1);
    constexpr int kNumbers = 400'000;
    auto& sequence = *request.mutable_rollout()->add_sequences();
    for (int i = 0; i < kNumbers; ++i) sequence.add_commands(1.0);
    return request.SerializeAsString();
  }();
  return kBytes;
}

/// Whenever there is one.
std::unique_ptr<Attack> kill_io(const RigProcess& run) {
  return std::make_unique<Repeated>(1, [&run](const std::atomic<bool>& ends) {
    while (!ends.load()) {
      if (const pid_t io = run.io(); io != 0) ::kill(io, SIGKILL);
      std::this_thread::sleep_for(50ms);
    }
  });
}

/// Stands still until the end.
class Held final : public Attack {
 public:
  explicit Held(std::vector<pid_t> processes) : processes_(std::move(processes)) {
    for (const pid_t process : processes_) ::kill(process, SIGSTOP);
  }
  ~Held() override {
    for (const pid_t process : processes_) ::kill(process, SIGCONT);
  }

 private:
  std::vector<pid_t> processes_;
};

/// io is killed and started again after 5 s: the next one is held too.
std::unique_ptr<Attack> hold_io(const RigProcess& run) {
  return std::make_unique<Repeated>(1, [&run](const std::atomic<bool>& ends) {
    pid_t io = 0;
    while (!ends.load()) {
      io = run.io();
      if (io != 0) ::kill(io, SIGSTOP);
      std::this_thread::sleep_for(5ms);
    }
    if (io != 0) ::kill(io, SIGCONT);
  });
}

/// A connection each, 100 bytes that are no greeting of ZeroMQ, and hangs up.
std::unique_ptr<Attack> connect_without_end(const RigProcess& run) {
  std::vector<std::uint16_t> ports;
  for (const char* socket : {"stop", "stop_io"}) {
    const std::string address = run.address(socket, Way::kTcp);
    ports.push_back(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  }
  return std::make_unique<Repeated>(2, [ports](const std::atomic<bool>& ends) {
    const std::string bytes(100, 'x');
    while (!ends.load()) {
      for (const std::uint16_t port : ports) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
        (void)::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        ::close(socket);
      }
    }
  });
}

const std::vector<std::string> kByTcp = {"--listen", "tcp://127.0.0.1:0"};

}  // namespace

const std::vector<AttackKind>& all_attacks() {
  static const std::vector<AttackKind> kAll = {
      {"idle", "nothing", {}, [](const RigProcess&) { return std::make_unique<Attack>(); }},
      {"flood",
       "two clients ask for the status without end",
       {},
       [](const RigProcess& run) { return flood(run, status_request); }},
      {"garbage",
       "two clients send random bytes without end",
       {},
       [](const RigProcess& run) { return flood(run, garbage); }},
      {"big",
       "two clients ask for roll-outs of 3 MB without end",
       {},
       [](const RigProcess& run) { return flood(run, big_request); }},
      {"io-stopped", "SIGSTOP to every io", {}, hold_io},
      {"io-killed", "SIGKILL to every io", {}, kill_io},
      {"supervisor-stopped",
       "SIGSTOP to the supervisor; the stop goes through io",
       {},
       [](const RigProcess& run) { return std::make_unique<Held>(std::vector<pid_t>{run.supervisor()}); }},
      {"single-process",
       "nothing; plant, io and supervisor are one process",
       {"--single-process"},
       [](const RigProcess&) { return std::make_unique<Attack>(); }},
      {"tcp", "nothing; over TCP", kByTcp, [](const RigProcess&) { return std::make_unique<Attack>(); }, Way::kTcp},
      {"tcp-flood", "over TCP, two clients ask for the status without end", kByTcp,
       [](const RigProcess& run) { return flood(run, status_request); }, Way::kTcp},
      {"tcp-connections", "over TCP, two strangers connect to every stop socket without end and say nothing useful",
       kByTcp, connect_without_end, Way::kTcp},
      {"tcp-io-stopped", "over TCP, SIGSTOP to every io", kByTcp, hold_io, Way::kTcp},
      {"tcp-supervisor-stopped", "over TCP, SIGSTOP to the supervisor; the stop goes through io", kByTcp,
       [](const RigProcess& run) { return std::make_unique<Held>(std::vector<pid_t>{run.supervisor()}); }, Way::kTcp},
  };
  return kAll;
}

}  // namespace kinloop::bench

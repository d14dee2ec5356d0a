// Floods over raw sockets, signals, and those of the abuse tests.
#include "bench/stop/attacks.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
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

#include "bench/stop/abusers.hpp"

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

/// Nothing more can be written there.
std::unique_ptr<Attack> fill_disk(const RigProcess& run) {
  return std::make_unique<Repeated>(1, [file = run.runs() / "filler"](const std::atomic<bool>& ends) {
    const int filler = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string bytes(4096, 'x');
    while (!ends.load()) {
      for (const std::size_t size : {bytes.size(), std::size_t{1}}) {
        while (::write(filler, bytes.data(), size) > 0) continue;
      }
      std::this_thread::sleep_for(5ms);  // others may free some meanwhile
    }
    ::close(filler);
    ::unlink(file.c_str());
  });
}

/// One that nobody has now.
std::string free_udp_port() {
  const int one = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(one, reinterpret_cast<const sockaddr*>(&address), size);
  ::getsockname(one, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(one);
  return std::to_string(ntohs(address.sin_port));
}

std::unique_ptr<Attack> leave_alone(const RigProcess& /*run*/) { return std::make_unique<Attack>(); }

std::unique_ptr<Attack> hold_supervisor(const RigProcess& run) {
  return std::make_unique<Held>(std::vector<pid_t>{run.supervisor()});
}

auto flood_of(std::string (*message)(std::mt19937_64&)) {
  return [message](const RigProcess& run) { return flood(run, message); };
}

auto abuse_by(std::vector<std::string> abusers) {
  return [abusers = std::move(abusers)](const RigProcess& run) { return begin_abuse(run, abusers); };
}

std::vector<AttackKind> every_attack() {
  const Surroundings usual;
  const Surroundings by_tcp{.options = {"--listen", "tcp://127.0.0.1:0"}};
  const Surroundings in_one{.options = {"--single-process"}};
  const Surroundings with_page{.options = {"--panel", "127.0.0.1:0"}};
  const Surroundings full_console{.console = Surroundings::Console::kFull};
  const Surroundings full_disk{.disk = Surroundings::Disk::kSmall};
  const std::string port = free_udp_port();
  const Surroundings with_udp{.rig = "adapters:\n  - {kind: udp, port: " + port + ", reply: true}\n"};
  return {
      {"idle", "nothing", usual, leave_alone},
      {"flood", "two clients ask for the status without end", usual, flood_of(status_request)},
      {"garbage", "two clients send random bytes without end", usual, flood_of(garbage)},
      {"big", "two clients ask for roll-outs of 3 MB without end", usual, flood_of(big_request)},
      {"io-stopped", "SIGSTOP to every io", usual, hold_io},
      {"io-killed", "SIGKILL to every io", usual, kill_io},
      {"supervisor-stopped", "SIGSTOP to the supervisor; the stop goes through io", usual, hold_supervisor},
      {"single-process", "nothing; plant, io and supervisor are one process", in_one, leave_alone},
      {"slow-readers", "60 subscribers that read nothing", usual, abuse_by({"slow_subscribers:60"})},
      {"deaf-readers", "40 that read nothing from the wire", usual, abuse_by({"deaf_subscribers:40"})},
      {"subscriptions", "9000 subscriptions", usual, abuse_by({"thousands_of_subscriptions"})},
      {"unread", "a client asks without end and reads no answer", usual, abuse_by({"control_flood_unread:describe"})},
      {"verbs", "two clients ask for all that is cheap without end", usual,
       abuse_by({"control_flood:CHEAP_VERBS", "control_flood:CHEAP_VERBS"})},
      {"frames", "two clients send frames without a lease", usual, abuse_by({"actuator_flood", "actuator_flood"})},
      {"wrong-frames", "frames of a lease's holder that are wrong", usual, abuse_by({"send_wrong_frames"})},
      {"wrong-bytes", "garbage on every socket, in one part and many", usual, abuse_by({"garbage:2000"})},
      {"oversized", "messages of 17 MB and some that say 2^64 bytes", usual, abuse_by({"oversized"})},
      {"endless", "a message of 32 MB in parts without an end", usual, abuse_by({"endless_message:32"})},
      {"handshakes", "40 connections with broken handshakes", usual, abuse_by({"broken_handshakes"})},
      {"snapshots", "true and altered snapshots are restored", usual, abuse_by({"restore_without_end"})},
      {"half-open-http", "300 requests that never end, to page and stop each", with_page,
       abuse_by({"half_open_http:300"})},
      {"half-open-stops", "200 connections to each stop socket that say half a word", usual,
       abuse_by({"half_open_stops:200"})},
      {"udp", "datagrams that are no frames", with_udp, abuse_by({"udp_flood:" + port})},
      {"full-console", "the console is a full pipe", full_console, leave_alone},
      {"full-disk", "a full disk under record and events", full_disk, fill_disk},
      {"tcp", "nothing; over TCP", by_tcp, leave_alone, Way::kTcp},
      {"tcp-flood", "over TCP, two clients ask for the status without end", by_tcp, flood_of(status_request),
       Way::kTcp},
      {"tcp-connections", "over TCP, two strangers connect to every stop socket without end and say nothing useful",
       by_tcp, connect_without_end, Way::kTcp},
      {"tcp-io-stopped", "over TCP, SIGSTOP to every io", by_tcp, hold_io, Way::kTcp},
      {"tcp-supervisor-stopped", "over TCP, SIGSTOP to the supervisor; the stop goes through io", by_tcp,
       hold_supervisor, Way::kTcp},
  };
}

}  // namespace

const std::vector<AttackKind>& all_attacks() {
  static const std::vector<AttackKind> kAll = every_attack();
  return kAll;
}

}  // namespace kinloop::bench

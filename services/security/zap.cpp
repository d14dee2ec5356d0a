// Judges one request at a time; whatever cannot be judged is refused.
#include "services/security/zap.hpp"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "services/base/diagnostics.hpp"
#include "services/security/key_file.hpp"

namespace kinloop::security {
namespace {

constexpr const char* kAddress = "inproc://zeromq.zap.01";
constexpr std::string_view kVersion = "1.0";
constexpr std::size_t kFixedFrames = 6;  // before the credentials
constexpr std::size_t kLeastFrames = 2;  // version and request id: enough to answer
constexpr std::size_t kMaxFrames = 32;   // what a request may have with its envelope
constexpr std::size_t kKeyBytes = 32;
constexpr int kStopSignals = 1;

std::string z85_of(const std::string& bytes) {
  std::array<char, kKeyLength + 1> text{};
  zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(bytes.data()), kKeyBytes);
  return text.data();
}

/// All frames of one message; those beyond kMaxFrames are read and thrown away.
std::vector<std::string> receive_all(zmq::socket_t& socket) {
  std::vector<std::string> frames;
  zmq::message_t frame;
  do {
    if (!socket.recv(frame, zmq::recv_flags::dontwait)) break;
    if (frames.size() <= kMaxFrames) frames.push_back(frame.to_string());
  } while (frame.more());
  return frames;
}

/// Where the empty frame is that ends the envelope; one past the end without one.
std::size_t end_of_envelope(const std::vector<std::string>& frames) {
  std::size_t i = 0;
  while (i < frames.size() && !frames[i].empty()) ++i;
  return i;
}

void send_reply(zmq::socket_t& socket, std::span<const std::string> envelope, const ZapReply& reply) {
  for (const std::string& frame : envelope) socket.send(zmq::buffer(frame), zmq::send_flags::sndmore);
  const std::array<std::string, 6> body{"",         std::string(kVersion), reply.request_id, reply.status,
                                        reply.text, reply.user_id};
  for (const std::string& frame : body) socket.send(zmq::buffer(frame), zmq::send_flags::sndmore);
  socket.send(zmq::message_t(), zmq::send_flags::none);  // no metadata
}

}  // namespace

std::optional<ZapReply> answer_zap(std::span<const std::string> frames, const KeyFolder& keys) {
  if (frames.size() < kLeastFrames) return std::nullopt;
  const auto refuse = [&](std::string why) { return ZapReply{frames[1], "400", std::move(why), ""}; };
  if (frames[0] != kVersion) return refuse("this version of ZAP is not spoken here");
  if (frames.size() < kFixedFrames) return refuse("the request is not complete");
  if (frames[2] != kZapDomain) return refuse("nobody is known in this domain");
  if (frames[5] != "CURVE") return refuse("a key is needed: only CURVE is accepted");
  if (frames.size() != kFixedFrames + 1 || frames[6].size() != kKeyBytes) return refuse("the key is malformed");
  const std::string key = z85_of(frames[6]);
  const Caller* caller = keys.find(key);
  if (caller == nullptr) return refuse("the key " + shortened(key) + " is not among the allowed ones");
  return ZapReply{frames[1], "200", "", user_id(*caller)};
}

Result<std::unique_ptr<ZapHandler>> ZapHandler::start(zmq::context_t& context, KeyFolder keys, Report report) {
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return Error{"eventfd", std::generic_category().message(errno)};
  try {
    zmq::socket_t socket(context, zmq::socket_type::router);
    socket.set(zmq::sockopt::linger, 0);
    socket.bind(kAddress);
    return std::unique_ptr<ZapHandler>(new ZapHandler(std::move(socket), wake, std::move(keys), std::move(report)));
  } catch (const std::exception& error) {
    ::close(wake);
    return Error{kAddress, std::string("the check of keys cannot be started: ") + error.what()};
  }
}

ZapHandler::ZapHandler(zmq::socket_t socket, int wake, KeyFolder keys, Report report)
    : socket_(std::move(socket)), wake_(wake), keys_(std::move(keys)), report_(std::move(report)), thread_([this] {
        serve();
      }) {}

ZapHandler::~ZapHandler() {
  (void)::eventfd_write(wake_, kStopSignals);
  thread_.join();
  ::close(wake_);
}

ZapHandler::Counts ZapHandler::counts() const noexcept {
  return {accepted_.load(std::memory_order_relaxed), refused_.load(std::memory_order_relaxed),
          malformed_.load(std::memory_order_relaxed)};
}

void ZapHandler::serve() noexcept {
  ::pthread_setname_np(::pthread_self(), "zap");  // for ps and top
  std::array<zmq::pollitem_t, 2> items{{{socket_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, wake_, ZMQ_POLLIN, 0}}};
  for (;;) {
    try {
      zmq::poll(items.data(), items.size(), std::chrono::milliseconds(-1));
      if (items[1].revents != 0) break;
      if (items[0].revents != 0) serve_one();
    } catch (const zmq::error_t& error) {
      if (error.num() == EINTR || error.num() == EAGAIN || error.num() == EHOSTUNREACH) continue;
      break;  // the context is gone
    } catch (const std::exception&) {
      // Out of memory for this request: it stays without an answer, its handshake times out.
      malformed_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  socket_.close();  // from now on nobody is let in
}

void ZapHandler::serve_one() {
  const std::vector<std::string> frames = receive_all(socket_);
  const std::size_t end = end_of_envelope(frames);
  if (end >= frames.size() || frames.size() > kMaxFrames) {
    malformed_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  refresh_keys();
  const std::span<const std::string> all(frames);
  const std::span<const std::string> request = all.subspan(end + 1);
  const std::optional<ZapReply> reply = answer_zap(request, keys_);
  if (!reply) {
    malformed_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const bool is_accepted = reply->status == "200";
  (is_accepted ? accepted_ : refused_).fetch_add(1, std::memory_order_relaxed);
  send_reply(socket_, all.first(end), *reply);
  if (!is_accepted) tell_refusal(request.size() > 3 ? request[3] : "", *reply);
}

void ZapHandler::refresh_keys() {
  for (const Error& error : keys_.refresh()) say(to_line(error));
}

void ZapHandler::tell_refusal(std::string_view address, const ZapReply& reply) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_report_) {
    ++untold_;
    return;
  }
  next_report_ = now + std::chrono::seconds(1);
  const std::string more = untold_ > 0 ? " (and " + std::to_string(untold_) + " more before)" : "";
  untold_ = 0;
  say("a client at " + in_quotes(address) + " was refused: " + reply.text + more);
}

void ZapHandler::say(const std::string& line) noexcept {
  if (!report_) return;
  try {
    report_(line);
  } catch (...) {  // what cannot be logged must not keep anybody from being refused
    untold_ += 1;
  }
}

}  // namespace kinloop::security

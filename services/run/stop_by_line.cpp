// The stop socket's protocol: a line that asks, a line that names the tick of the latch.
#include <sys/socket.h>
#include <unistd.h>

#include "services/run/stop_protocol.hpp"

namespace kinloop::run {
namespace {

class StopByLine final : public StopProtocol {
 public:
  /// The folder lets nobody else in anyway.
  bool lets_in(int socket) const override {
    ucred peer{};
    socklen_t size = sizeof(peer);
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == ::geteuid() || peer.uid == 0);
  }
  StopWish read(std::string_view said) const override {
    if (said.starts_with(client::kStopWord)) return {StopWish::Kind::kStop, {}};
    return {said.size() < client::kStopWord.size() ? StopWish::Kind::kIncomplete : StopWish::Kind::kOther, {}};
  }
  std::string confirm(std::string_view /*said*/, const std::optional<client::StopReceipt>& latched) const override {
    return latched ? client::stop_line(*latched) : std::string(client::kNotLatched);
  }
  std::string_view way() const override { return "the stop socket"; }
};

}  // namespace

std::unique_ptr<StopProtocol> stop_by_line() { return std::make_unique<StopByLine>(); }

}  // namespace kinloop::run

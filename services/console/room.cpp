// Asks the kernel before every piece, and writes pieces that fit.
#include "services/console/room.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kinloop::console {
namespace {

/// What a terminal or a pipe takes at once where it says that it has room.
constexpr std::size_t kPiece = 256;

bool gets_room(int descriptor, int patience_ms) noexcept {
  pollfd wait{descriptor, POLLOUT, 0};
  return ::poll(&wait, 1, patience_ms) == 1 && (wait.revents & POLLOUT) != 0;
}

}  // namespace

bool has_room(int descriptor) noexcept { return descriptor < 0 || gets_room(descriptor, 0); }

bool write_where_there_is_room(int descriptor, std::string_view text, std::chrono::milliseconds patience) noexcept {
  using Steady = std::chrono::steady_clock;
  const auto until = Steady::now() + patience;
  while (!text.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now());
    if (!gets_room(descriptor, static_cast<int>(std::max<std::int64_t>(0, left.count())))) return false;
    const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kPiece));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace kinloop::console

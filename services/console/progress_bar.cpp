// One line, redrawn in place.
#include "services/console/progress_bar.hpp"

#include <algorithm>
#include <ostream>
#include <string>

#include "services/console/room.hpp"
#include "services/console/table.hpp"

namespace kinloop::console {
namespace {

constexpr int kWidth = 40;
constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

ProgressBar::~ProgressBar() {
  if (drawn_ && has_room(console_.err_descriptor)) console_.err << "\r\033[K" << std::flush;
}

void ProgressBar::show(double share, double time_s) {
  if (!console_.err_is_terminal) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  if (!has_room(console_.err_descriptor)) return;  // of a terminal that was halted
  drawn_ = true;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  const std::string bar = "\r[" + std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(kWidth - filled), '.') + "] " +
                          std::to_string(static_cast<int>(100.0 * share)) + " %  t = " + plain_number(time_s) +
                          " s\033[K";
  console_.err << bar << std::flush;  // at once: the log's thread writes there too
}

}  // namespace kinloop::console

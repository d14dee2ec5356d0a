// Implements the capture of urdfdom's log.
#include "services/import/console_capture.hpp"

namespace kinloop {
namespace {

std::mutex& log_mutex() {
  static std::mutex instance;
  return instance;
}

}  // namespace

ConsoleCapture::ConsoleCapture() : lock_(log_mutex()), previous_(console_bridge::getOutputHandler()) {
  console_bridge::useOutputHandler(this);
}

ConsoleCapture::~ConsoleCapture() { console_bridge::useOutputHandler(previous_); }

void ConsoleCapture::log(const std::string& text, console_bridge::LogLevel level, const char* /*filename*/,
                         int /*line*/) {
  if (level < console_bridge::CONSOLE_BRIDGE_LOG_ERROR) return;
  if (!errors_.empty()) errors_ += "; ";
  errors_ += text;
}

}  // namespace kinloop

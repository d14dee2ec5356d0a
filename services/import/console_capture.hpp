// Owns the silence of urdfdom, which prints through a global log, wherever it is called from.
#pragma once

#include <console_bridge/console.h>

#include <mutex>
#include <string>

namespace kinloop {

/// Takes the messages of urdfdom while it exists; one at a time in the process, since the log is global.
class ConsoleCapture final : public console_bridge::OutputHandler {
 public:
  ConsoleCapture();
  ~ConsoleCapture() override;
  ConsoleCapture(const ConsoleCapture&) = delete;
  ConsoleCapture& operator=(const ConsoleCapture&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char* filename, int line) override;

  /// All errors so far, separated by semicolons.
  const std::string& errors() const noexcept { return errors_; }

 private:
  std::lock_guard<std::mutex> lock_;
  console_bridge::OutputHandler* previous_;
  std::string errors_;
};

}  // namespace kinloop

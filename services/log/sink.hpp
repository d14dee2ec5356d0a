// Owns where lines go: a console, a file that is renamed before it grows too large. The library behind it, spdlog, is
// seen in sink.cpp alone.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "services/log/log.hpp"

namespace kinloop::log {

struct Entry {
  std::chrono::system_clock::time_point time;
  Level level = Level::kInfo;
  const char* part = "";
  std::string text;
};

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Nothing, or why it cannot; a sink that could not once is not used again.
  virtual std::optional<Error> write(const Entry& entry) = 0;
  virtual std::optional<Error> flush() = 0;
};

/// As text: the bare line, as people know it, without a time; in the journal, which has its own, with its priority.
std::unique_ptr<Sink> make_console_sink(const ConsoleOutput& console, Format format);

/// Goes on at the end of a file that is there. "kinloop.log" becomes "kinloop.1.log", and so on.
Result<std::unique_ptr<Sink>> open_file_sink(const std::filesystem::path& file, const FileBounds& bounds,
                                             Format format);

}  // namespace kinloop::log

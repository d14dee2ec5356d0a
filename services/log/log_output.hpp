// Owns LogOutput: the sinks of a log, and what is done about a file that cannot be written.
#pragma once

#include <cstdint>

#include "services/log/sink.hpp"

namespace kinloop::log {

/// By one thread, which may wait for disks and terminals.
class LogOutput {
 public:
  using Time = std::chrono::steady_clock::time_point;

  LogOutput(const ConsoleOutput& console, Format format);

  void use_file(std::filesystem::path file, const FileBounds& bounds, Time now);
  void write(const Entry& entry, Time now);
  void flush(Time now);

 private:
  void open(Time now);
  void write_to_file(const Entry& entry, Time now);
  void give_up_file(const Error& error, Time now);

  Format format_;
  std::unique_ptr<Sink> console_, file_;
  std::filesystem::path path_;  // empty: no file is wanted
  FileBounds bounds_;
  Time next_try_;             // to open it
  std::int64_t missing_ = 0;  // lines in the file
  bool said_ = false;
};

}  // namespace kinloop::log

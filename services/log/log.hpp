// Owns Log: what supervisor, io and gateway say of themselves, on the console and in a file of bounded size, written by
// a thread of its own. Never for the real-time thread: it counts, and others tell.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <string_view>

#include "services/log/level.hpp"

namespace kinloop::log {

struct ConsoleOutput {
  std::ostream* stream = nullptr;  // none: nothing is said there; else it outlives the last line
  /// Of the same stream, if it has one; lines are written there then, where it has room. To wait inside the standard
  /// library would keep the program from ending while nobody reads: it has a lock.
  int descriptor = -1;
  bool has_colours = false;
  bool is_terminal = false;
  bool is_journal = false;  // lines begin with their priority
};

/// What all files together may take is the product.
struct FileBounds {
  std::size_t bytes = std::size_t{2} << 20U;  // of one file
  int files = 4;                              // the present one and older ones, at least 1
};

/// Its lines wait in a bounded queue: who writes one never waits for a disk or a terminal. Lines that find no room are
/// counted, and the same line is written a few times a second only; both are told. Trouble with the file is said once
/// on the console and never ends anything.
class Log {
 public:
  /// `core` is one that its thread stays off, the plant's; negative: none.
  Log(const Settings& settings, const ConsoleOutput& console, int core = -1);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() { close(); }

  /// From now on lines are written there too. One process a file.
  void open_file(std::filesystem::path file, FileBounds bounds = {});
  /// Writes what waits, for a second at most: a disk that hangs holds up no end. Later lines are lost.
  void close();

  bool takes(Level level) const noexcept { return level >= settings_.level; }
  /// From any thread that is not real-time. `part` of the program is a literal; `site` tells repeats from others.
  void write(Level level, const char* part, std::string_view text, const std::source_location& site);

 private:
  struct Shared;
  Settings settings_;
  std::shared_ptr<Shared> shared_;
};

/// How one part of the program speaks through a log. Cheap to copy; without a log it says nothing.
class Logger {
 public:
  using Site = std::source_location;

  Logger() = default;
  Logger(Log& log, const char* part) noexcept : log_(&log), part_(part) {}
  /// The same log for another part.
  Logger of(const char* part) const noexcept { return log_ != nullptr ? Logger(*log_, part) : Logger(); }

  /// Worth asking before a text is made that costs time.
  bool takes(Level level) const noexcept { return log_ != nullptr && log_->takes(level); }

  void write(Level level, std::string_view text, const Site& site = Site::current()) const {
    if (takes(level)) log_->write(level, part_, text, site);
  }
  void trace(std::string_view text, const Site& site = Site::current()) const { write(Level::kTrace, text, site); }
  void debug(std::string_view text, const Site& site = Site::current()) const { write(Level::kDebug, text, site); }
  void info(std::string_view text, const Site& site = Site::current()) const { write(Level::kInfo, text, site); }
  void warning(std::string_view text, const Site& site = Site::current()) const { write(Level::kWarning, text, site); }
  void error(std::string_view text, const Site& site = Site::current()) const { write(Level::kError, text, site); }
  /// "where: what".
  void error(const Error& error, const Site& site = Site::current()) const;

 private:
  Log* log_ = nullptr;
  const char* part_ = "";
};

}  // namespace kinloop::log

// The sinks of spdlog with formatters of our own; its exceptions end here.
#include "services/log/sink.hpp"

#include <poll.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "services/log/journal_stream.hpp"
#include "services/log/visible_text.hpp"

namespace kinloop::log {
namespace {

using Message = spdlog::details::log_msg;
using Buffer = spdlog::memory_buf_t;

constexpr int kConsolePatience_ms = 200;
constexpr const char* kTime = "%Y-%m-%dT%H:%M:%S.%fZ";  // RFC 3339
constexpr const char* kTextLine = "%Y-%m-%dT%H:%M:%S.%fZ %l %n: %v";

spdlog::level::level_enum library_level(Level level) noexcept {
  switch (level) {
    case Level::kTrace:
      return spdlog::level::trace;
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

Level own_level(spdlog::level::level_enum level) noexcept {
  switch (level) {
    case spdlog::level::trace:
      return Level::kTrace;
    case spdlog::level::debug:
      return Level::kDebug;
    case spdlog::level::info:
      return Level::kInfo;
    case spdlog::level::warn:
      return Level::kWarning;
    default:
      return Level::kError;
  }
}

void append(std::string_view text, Buffer& to) { to.append(text.data(), text.data() + text.size()); }

std::unique_ptr<spdlog::pattern_formatter> in_utc(const char* pattern, const char* end) {
  return std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, end);
}

/// What a line of the console begins with, whatever its format.
void append_console_start(const ConsoleOutput& console, Level level, Buffer& to) {
  if (console.is_journal) append(journal_prefix(level), to);
  if (console.is_terminal) append("\r\033[K", to);  // a progress bar may be there; it is drawn again
}

class ConsoleFormatter final : public spdlog::formatter {
 public:
  explicit ConsoleFormatter(const ConsoleOutput& console) : console_(console) {}

  void format(const Message& message, Buffer& to) override {
    const Level level = own_level(message.level);
    append_console_start(console_, level, to);
    const std::string_view colour = console_.has_colours && !console_.is_journal ? colour_of(level) : "";
    append(colour, to);
    append({message.payload.data(), message.payload.size()}, to);
    if (!colour.empty()) append("\033[0m", to);
    append("\n", to);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<ConsoleFormatter>(console_); }

 private:
  static std::string_view colour_of(Level level) noexcept {
    if (level == Level::kError) return "\033[1;31m";
    if (level == Level::kWarning) return "\033[33m";
    return level == Level::kInfo ? "" : "\033[2m";
  }

  ConsoleOutput console_;
};

class JsonFormatter final : public spdlog::formatter {
 public:
  /// Of a file where there is no console.
  explicit JsonFormatter(const ConsoleOutput& console) : console_(console), time_(in_utc(kTime, "")) {}

  void format(const Message& message, Buffer& to) override {
    Buffer time;
    time_->format(message, time);
    const Level level = own_level(message.level);
    append_console_start(console_, level, to);
    const nlohmann::ordered_json line = {{"time", std::string(time.data(), time.size())},
                                         {"level", name_of(level)},
                                         {"part", std::string(message.logger_name.data(), message.logger_name.size())},
                                         {"text", std::string(message.payload.data(), message.payload.size())}};
    // ASCII alone: a terminal obeys some of the rest. Bytes that are no UTF-8 become U+FFFD.
    append(line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace), to);
    append("\n", to);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(console_); }

 private:
  ConsoleOutput console_;
  std::unique_ptr<spdlog::pattern_formatter> time_;
};

/// A console that takes nothing, a stopped terminal say, misses lines rather than keep them from the file.
class DescriptorSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}

 protected:
  void sink_it_(const Message& message) override {
    if (!has_room()) {
      ++missed_;
      return;
    }
    Buffer line;
    if (missed_ > 0) {
      const std::string text = std::to_string(std::exchange(missed_, 0)) + " lines are missing here";
      formatter_->format(Message(message.time, {}, "log", spdlog::level::warn, text), line);
    }
    formatter_->format(message, line);
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t count = ::write(descriptor_, line.data() + done, line.size() - done);
      if (count < 0 && errno != EINTR) return;  // nobody is there to be told
      if (count > 0) done += static_cast<std::size_t>(count);
    }
  }
  void flush_() override {}

 private:
  /// Waits a little for one that was there before.
  bool has_room() {
    pollfd console{descriptor_, POLLOUT, 0};
    return ::poll(&console, 1, missed_ > 0 ? 0 : kConsolePatience_ms) != 0;
  }

  int descriptor_;
  std::int64_t missed_ = 0;
};

/// By one thread.
class LibrarySink final : public Sink {
 public:
  LibrarySink(std::unique_ptr<spdlog::sinks::sink> sink, std::unique_ptr<spdlog::formatter> formatter, Format format,
              std::string name)
      : sink_(std::move(sink)), format_(format), name_(std::move(name)) {
    sink_->set_formatter(std::move(formatter));
  }

  std::optional<Error> write(const Entry& entry) override {
    const std::string text = format_ == Format::kText ? visible_text(entry.text) : entry.text;
    return guarded([&] { sink_->log(Message(entry.time, {}, entry.part, library_level(entry.level), text)); });
  }
  std::optional<Error> flush() override {
    return guarded([this] { sink_->flush(); });
  }

 private:
  template <class Action>
  std::optional<Error> guarded(const Action& action) {
    try {
      action();
      return std::nullopt;
    } catch (const std::exception& error) {
      return Error{name_, error.what()};
    }
  }

  std::unique_ptr<spdlog::sinks::sink> sink_;
  Format format_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Sink> make_console_sink(const ConsoleOutput& console, Format format) {
  std::unique_ptr<spdlog::formatter> formatter;
  if (format == Format::kJson) {
    formatter = std::make_unique<JsonFormatter>(console);
  } else {
    formatter = std::make_unique<ConsoleFormatter>(console);
  }
  std::unique_ptr<spdlog::sinks::sink> sink;
  if (console.descriptor >= 0) {
    sink = std::make_unique<DescriptorSink>(console.descriptor);
  } else {
    sink = std::make_unique<spdlog::sinks::ostream_sink_st>(*console.stream, true);
  }
  return std::make_unique<LibrarySink>(std::move(sink), std::move(formatter), format, "console");
}

Result<std::unique_ptr<Sink>> open_file_sink(const std::filesystem::path& file, const FileBounds& bounds,
                                             Format format) {
  try {
    std::unique_ptr<spdlog::formatter> formatter;
    if (format == Format::kJson) {
      formatter = std::make_unique<JsonFormatter>(ConsoleOutput{});
    } else {
      formatter = in_utc(kTextLine, "\n");
    }
    auto sink = std::make_unique<spdlog::sinks::rotating_file_sink_st>(file.string(), bounds.bytes,
                                                                       static_cast<std::size_t>(bounds.files - 1));
    return std::unique_ptr<Sink>(
        std::make_unique<LibrarySink>(std::move(sink), std::move(formatter), format, file.string()));
  } catch (const std::exception& error) {
    return Error{file.string(), error.what()};
  }
}

}  // namespace kinloop::log

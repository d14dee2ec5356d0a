// A full disk may have room again: the file is tried again now and then, in silence.
#include "services/log/log_output.hpp"

#include <utility>

namespace kinloop::log {
namespace {

constexpr std::chrono::seconds kBetweenTries{10};

Entry own_entry(Level level, std::string text) {
  return {std::chrono::system_clock::now(), level, "log", std::move(text)};
}

}  // namespace

LogOutput::LogOutput(const ConsoleOutput& console, Format format) : format_(format) {
  if (console.stream != nullptr) console_ = make_console_sink(console, format);
}

void LogOutput::use_file(std::filesystem::path file, const FileBounds& bounds, Time now) {
  path_ = std::move(file);
  bounds_ = bounds;
  open(now);
}

void LogOutput::write(const Entry& entry, Time now) {
  if (console_) console_->write(entry);  // a console that takes nothing has nobody to tell
  if (path_.empty()) return;
  if (!file_ && now >= next_try_) open(now);
  write_to_file(entry, now);
}

void LogOutput::write_to_file(const Entry& entry, Time now) {
  std::optional<Error> error;
  if (file_ && missing_ > 0) {
    error =
        file_->write(own_entry(Level::kWarning, "at least " + std::to_string(missing_) + " lines are missing here"));
    if (!error) missing_ = 0;
  }
  if (file_ && !error) error = file_->write(entry);
  if (error) give_up_file(*error, now);
  if (!file_) ++missing_;
}

void LogOutput::flush(Time now) {
  if (!file_) return;
  if (const auto error = file_->flush()) give_up_file(*error, now);
}

void LogOutput::open(Time now) {
  auto file = open_file_sink(path_, bounds_, format_);
  if (!file) return give_up_file(file.error(), now);
  file_ = std::move(file).value();
}

void LogOutput::give_up_file(const Error& error, Time now) {
  file_.reset();
  next_try_ = now + kBetweenTries;
  if (!std::exchange(said_, true) && console_) {
    console_->write(own_entry(Level::kWarning, "the log cannot be written, the run goes on without: " + error.what));
  }
}

}  // namespace kinloop::log

// A bounded queue and the thread that empties it.
#include "services/log/log.hpp"

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include "rt/loop/thread_setup.hpp"
#include "services/log/log_output.hpp"
#include "services/log/repeat_limit.hpp"
#include "services/log/visible_text.hpp"

namespace kinloop::log {
namespace {

constexpr std::size_t kMaxQueued = 1024;
constexpr std::size_t kMaxText = 3000;  // a line that a pipe takes whole, beside those of other processes
constexpr std::chrono::seconds kLongestClose{1};

using SteadyClock = std::chrono::steady_clock;

/// File and line: what one place in the code is called.
std::string name_of_site(const std::source_location& site) {
  return std::string(site.file_name()) + ":" + std::to_string(site.line()) + ":" + std::to_string(site.column());
}

std::string line_about(const Repeats& repeats) {
  return std::to_string(repeats.count) + " more like this within a second: " + repeats.last_text;
}

/// While it lives, the calling thread starts threads that take no signal. Signals are the main thread's; and a file
/// beyond a limit on its size (SIGXFSZ) is an error of the write then, not the end of the process.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

/// Of the log and its thread, which may be left behind where a console or a disk holds it up.
struct Log::Shared {
  Shared(const ConsoleOutput& console, Format format) : output(console, format) {}

  bool has_work() const { return ends || !queue.empty() || file.has_value() || lost > 0; }
  void work(int core);
  bool write_once();

  std::mutex mutex;
  std::condition_variable has_changed;  // for the thread
  std::condition_variable has_closed;   // for who ends it
  std::vector<Entry> queue;
  std::int64_t lost = 0;
  std::optional<std::pair<std::filesystem::path, FileBounds>> file;  // to be opened
  RepeatLimit repeats;
  bool ends = false, ended = false;

  LogOutput output;  // of the thread
  std::thread thread;
};

/// Whether there is more to come.
bool Log::Shared::write_once() {
  std::vector<Entry> entries;
  std::vector<Repeats> held_back;
  std::int64_t lost_now = 0;
  decltype(file) new_file;
  bool is_last = false;
  {
    std::unique_lock lock(mutex);
    const auto wakes = [this] { return has_work(); };
    if (const auto next = repeats.next_end()) {
      has_changed.wait_until(lock, *next, wakes);
    } else {
      has_changed.wait(lock, wakes);
    }
    is_last = ends;
    entries.swap(queue);
    held_back = repeats.take_ended(is_last ? RepeatLimit::Time::max() : SteadyClock::now());
    lost_now = std::exchange(lost, 0);
    new_file.swap(file);
  }
  const auto now = SteadyClock::now();
  const auto time = std::chrono::system_clock::now();
  if (new_file) output.use_file(std::move(new_file->first), new_file->second, now);
  for (const Entry& entry : entries) output.write(entry, now);
  for (const Repeats& repeated : held_back) {
    output.write({time, repeated.level, repeated.part, line_about(repeated)}, now);
  }
  if (lost_now > 0) {
    output.write({time, Level::kWarning, "log", std::to_string(lost_now) + " lines of the log found no room"}, now);
  }
  output.flush(now);
  return !is_last;
}

void Log::Shared::work(int core) {
  ::pthread_setname_np(::pthread_self(), "log");  // for ps and top
  rt::stay_off_core(core);
  while (write_once()) continue;
  const std::lock_guard lock(mutex);
  ended = true;
  has_closed.notify_all();
}

Log::Log(const Settings& settings, const ConsoleOutput& console, int core)
    : settings_(settings), shared_(std::make_shared<Shared>(console, settings.format)) {
  const SignalsHeldBack none;
  shared_->thread = std::thread([shared = shared_, core] { shared->work(core); });
}

void Log::open_file(std::filesystem::path file, FileBounds bounds) {
  const std::lock_guard lock(shared_->mutex);
  shared_->file.emplace(std::move(file), bounds);
  shared_->has_changed.notify_one();
}

void Log::write(Level level, const char* part, std::string_view text, const std::source_location& site) {
  if (!takes(level)) return;
  Entry entry{std::chrono::system_clock::now(), level, part, shortened(text, kMaxText)};
  const std::string name = name_of_site(site);
  const auto now = SteadyClock::now();
  const std::lock_guard lock(shared_->mutex);
  if (shared_->ends || !shared_->repeats.permits(name, level, part, entry.text, now)) return;
  if (shared_->queue.size() < kMaxQueued) {
    shared_->queue.push_back(std::move(entry));
  } else {
    ++shared_->lost;
  }
  shared_->has_changed.notify_one();
}

void Log::close() {
  if (!shared_->thread.joinable()) return;
  bool has_ended = false;
  {
    std::unique_lock lock(shared_->mutex);
    shared_->ends = true;
    shared_->has_changed.notify_one();
    has_ended = shared_->has_closed.wait_for(lock, kLongestClose, [this] { return shared_->ended; });
  }
  has_ended ? shared_->thread.join() : shared_->thread.detach();
}

void Logger::error(const Error& error, const Site& site) const {
  write(Level::kError, error.where.empty() ? error.what : error.where + ": " + error.what, site);
}

}  // namespace kinloop::log

// A bounded queue and the thread that empties it, which tries again what a full disk refuses.
#include "services/run/event_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "rt/loop/thread_setup.hpp"
#include "services/base/error_text.hpp"

namespace kinloop::run {
namespace {

constexpr std::chrono::seconds kLongestEventClose{1};
constexpr std::chrono::milliseconds kBetweenTries{250};

}  // namespace

struct EventFile::Shared {
  Shared(std::filesystem::path its_file, Bounds its_bounds, log::Logger its_log)
      : file(std::move(its_file)), bounds(its_bounds), log(its_log) {}
  ~Shared() {
    if (descriptor >= 0) ::close(descriptor);
  }

  void work(int core);
  bool write_line(const std::string& line);
  bool open();
  bool rotate();
  void tell(bool is_written);

  const std::filesystem::path file;
  const Bounds bounds;
  log::Logger log;

  std::mutex mutex;
  std::condition_variable has_changed, has_closed;
  std::deque<std::string> waiting;
  std::int64_t lost = 0;
  bool ends = false, ended = false;

  // The thread's own.
  int descriptor = -1;
  std::size_t size = 0;
  bool is_first = true, is_failing = false;
};

bool EventFile::Shared::open() {
  if (descriptor >= 0) return true;
  const int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (is_first ? O_TRUNC : 0);
  descriptor = ::open(file.c_str(), how, 0644);
  struct stat there {};
  if (descriptor < 0 || ::fstat(descriptor, &there) != 0) return false;
  size = static_cast<std::size_t>(there.st_size);
  is_first = false;
  return true;
}

bool EventFile::Shared::rotate() {
  const auto numbered = [this](int number) {
    return file.parent_path() / (file.stem().string() + "." + std::to_string(number) + file.extension().string());
  };
  std::error_code failed;
  for (int i = bounds.files - 2; i > 0; --i) std::filesystem::rename(numbered(i), numbered(i + 1), failed);
  std::filesystem::rename(file, numbered(1), failed);
  if (failed) return false;
  ::close(std::exchange(descriptor, -1));
  return open();
}

/// The whole line or nothing of it.
bool EventFile::Shared::write_line(const std::string& line) {
  if (!open()) return false;
  if (size > 0 && size + line.size() > bounds.bytes && !rotate()) return false;
  std::size_t written = 0;
  ssize_t part = 1;
  while (written < line.size() && part > 0) {  // a disk that is nearly full takes a part; the next call says why
    part = ::write(descriptor, line.data() + written, line.size() - written);
    if (part > 0) written += static_cast<std::size_t>(part);
  }
  if (written == line.size()) {
    size += line.size();
    return true;
  }
  const int why = errno;
  if (written > 0) static_cast<void>(!::ftruncate(descriptor, static_cast<off_t>(size)));
  errno = why;
  return false;
}

/// Once each time.
void EventFile::Shared::tell(bool is_written) {
  if (is_written == !is_failing) return;
  is_failing = !is_written;
  const std::string why = host::error_text();
  const std::lock_guard lock(mutex);  // the log may be gone once this is left behind
  if (is_failing) {
    log.error("the events of this run cannot be written, and are tried again: " + why);
  } else {
    log.warning("the events of this run can be written again");
  }
}

void EventFile::Shared::work(int core) {
  ::pthread_setname_np(::pthread_self(), "events");  // for ps and top
  rt::stay_off_core(core);
  std::unique_lock lock(mutex);
  while (true) {
    const auto has_work = [this] { return ends || (!is_failing && (!waiting.empty() || lost > 0)); };
    if (is_failing) {
      has_changed.wait_for(lock, kBetweenTries, has_work);
    } else {
      has_changed.wait(lock, has_work);
    }
    bool goes_on = true;
    while (goes_on && (!waiting.empty() || lost > 0)) {
      const bool tells_lost = waiting.empty();
      const std::int64_t count = lost;
      const std::string line =
          tells_lost ? R"({"event":"events_lost","value":)" + std::to_string(count) + "}\n" : waiting.front();
      lock.unlock();
      goes_on = write_line(line);
      tell(goes_on);
      lock.lock();
      if (!goes_on) continue;
      if (tells_lost) {
        lost -= count;
      } else {
        waiting.pop_front();
      }
    }
    if (!ends) continue;
    ended = true;
    has_closed.notify_all();
    return;
  }
}

EventFile::EventFile(std::filesystem::path file, Bounds bounds, log::Logger log, int core)
    : shared_(std::make_shared<Shared>(std::move(file), bounds, log)) {
  // Signals are the main thread's; and a file beyond a limit on its size (SIGXFSZ) is an error of the write then.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread([shared = shared_, core] { shared->work(core); }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

EventFile::~EventFile() {
  std::unique_lock lock(shared_->mutex);
  shared_->ends = true;
  shared_->has_changed.notify_one();
  const bool has_ended = shared_->has_closed.wait_for(lock, kLongestEventClose, [this] { return shared_->ended; });
  if (!has_ended) shared_->log = log::Logger();  // which ends before the thread may
}

void EventFile::add(std::string line) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->waiting.size() >= shared_->bounds.waiting) {
    ++shared_->lost;
    return;
  }
  shared_->waiting.push_back(std::move(line));
  shared_->has_changed.notify_one();
}

}  // namespace kinloop::run

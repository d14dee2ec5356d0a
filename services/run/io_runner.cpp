// A process that is watched and restarted, or a thread.
#include "services/run/io_runner.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "rt/loop/thread_setup.hpp"
#include "rt/timing/clock.hpp"
#include "services/run/child_process.hpp"
#include "services/run/plant_run.hpp"

namespace kinloop::run {
namespace {

constexpr std::chrono::seconds kLongestStart{20};
constexpr std::chrono::seconds kLongestEnd{5};
constexpr std::int64_t kShortestPause_ns = 50'000'000;
constexpr std::int64_t kLongestPause_ns = 2'000'000'000;
constexpr std::int64_t kCalm_ns = 10'000'000'000;  // a life this long makes the pauses short again
constexpr std::chrono::milliseconds kIoWait{2};

/// A longer one: the host, or the supervisor, stood still. Then io has as long to show life before it is blamed.
constexpr std::int64_t kLongestRound_ns = 1'000'000'000;

/// Whether it comes true while one waits.
template <class Condition>
bool comes_true(std::chrono::seconds patience, const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kIoWait);
  }
  return true;
}

/// The first that is, by its name; empty: all are well.
std::string_view overdue_thread(const rt::PlantMemory& memory, std::int64_t now_ns, std::int64_t started_ns) noexcept {
  for (std::size_t i = 0; i < rt::kIoThreads; ++i) {
    const rt::ThreadDeadline& thread = rt::kIoDeadlines[i];
    if (memory.io_beats[i].is_overdue(now_ns, thread.deadline_ns, started_ns)) return thread.name;
  }
  return "";
}

class IoProcess final : public IoRunner {
 public:
  IoProcess(io::IoOptions options, const rt::MemoryFiles& files, log::Logger log)
      : options_(std::move(options)), files_(files), memory_(files.memory()), log_(log) {}

  std::optional<Error> start() {
    spawn(rt::MonotonicClock().now_ns());
    const bool settled = comes_true(kLongestStart, [this] { return is_ready() || !child_ || child_->ended(); });
    if (settled && is_ready()) return std::nullopt;
    return Error{"io", "did not come up"};
  }

  void tend(std::int64_t now_ns) override {
    if (now_ns - last_round_ns_ > kLongestRound_ns) awake_since_ns_ = now_ns;
    last_round_ns_ = now_ns;
    const bool may_blame = child_ && !is_killed_ && now_ns - awake_since_ns_ > kLongestRound_ns;
    if (const std::string_view stuck = may_blame ? stuck_thread(now_ns) : ""; !stuck.empty()) {
      log_.warning("io is alive but its thread '" + std::string(stuck) + "' shows no life: it is killed");
      child_->send(SIGKILL);
      is_killed_ = true;
    }
    if (child_ && child_->ended()) {
      if (now_ns - started_ns_ > kCalm_ns) pause_ns_ = kShortestPause_ns;
      log_.warning("io died (" + std::to_string(*child_->ended()) +
                   "): commands age, the plant goes on; it is started again, clients reconnect by themselves");
      child_.reset();
      next_ns_ = now_ns + pause_ns_;
      pause_ns_ = std::min(2 * pause_ns_, kLongestPause_ns);
    }
    if (!child_ && now_ns >= next_ns_) spawn(now_ns);
  }

  bool answers(std::int64_t now_ns) const override {
    return child_ && is_ready() && overdue_thread(memory_, now_ns, started_ns_).empty();
  }

  /// Before it is blamed, before it is started again, and to come up.
  std::int64_t longest_restart_ns() const noexcept override {
    return kLongestRound_ns + kLongestPause_ns + std::chrono::nanoseconds(kLongestStart).count();
  }

  /// Whatever it does, it has ended after this, or is not waited for: the kernel ends what was killed.
  void stop() override {
    if (!child_) return;
    memory_.io_may_end.store(1, std::memory_order_relaxed);  // the kernel orders it before the signal
    child_->send(SIGTERM);
    if (!comes_true(kLongestEnd, [this] { return child_->ended().has_value(); })) {
      log_.warning("io does not end: it is killed");
      child_->send(SIGKILL);
    }
  }

 private:
  bool is_ready() const noexcept {
    return memory_.io_ready.load(std::memory_order_acquire) == memory_.epoch.load(std::memory_order_relaxed);
  }
  /// Its name, empty where all is well.
  std::string_view stuck_thread(std::int64_t now_ns) const noexcept {
    constexpr std::int64_t kLongestStart_ns = std::chrono::nanoseconds(kLongestStart).count();
    if (!is_ready()) return now_ns - started_ns_ > kLongestStart_ns ? "main" : "";
    return overdue_thread(memory_, now_ns, started_ns_);
  }
  void spawn(std::int64_t now_ns) {
    is_killed_ = false;
    memory_.epoch.fetch_add(1, std::memory_order_relaxed);
    started_ns_ = now_ns;
    auto child = ChildProcess::spawn(io_arguments(options_), files_, rt::MemoryOwner::kIo);
    if (child) {
      child_.emplace(std::move(child).value());
    } else {
      log_.error(child.error());
      next_ns_ = now_ns + kLongestPause_ns;
    }
  }

  io::IoOptions options_;
  const rt::MemoryFiles& files_;
  rt::PlantMemory& memory_;
  log::Logger log_;
  std::optional<ChildProcess> child_;
  std::int64_t started_ns_ = 0, next_ns_ = 0;
  std::int64_t last_round_ns_ = 0, awake_since_ns_ = 0;  // of the supervisor
  std::int64_t pause_ns_ = kShortestPause_ns;
  bool is_killed_ = false;
};

class IoThread final : public IoRunner {
 public:
  IoThread(std::shared_ptr<const LoadedRig> rig, io::IoOptions options, rt::PlantMemory& memory, log::Logger log)
      : rig_(std::move(rig)), options_(std::move(options)), memory_(memory), log_(log) {
    memory_.epoch.fetch_add(1, std::memory_order_relaxed);
    thread_ = std::thread([this] {
      ::pthread_setname_np(::pthread_self(), "io");  // for ps and top
      rt::stay_off_core(wishes_of(rig_->spec).core);
      const auto ready = [this] {
        memory_.io_ready.store(memory_.epoch.load(std::memory_order_relaxed), std::memory_order_release);
        is_ready_.store(true);
      };
      for (const Error& error : io::run_io(*rig_, options_, memory_, wish_, ready, log_)) log_.error(error);
      has_ended_.store(true);
    });
  }
  ~IoThread() override { IoThread::stop(); }

  bool starts() {
    return comes_true(kLongestStart, [this] { return is_ready_.load() || has_ended_.load(); }) && is_ready_.load();
  }
  void tend(std::int64_t /*now_ns*/) override {}
  bool answers(std::int64_t now_ns) const override {
    return !has_ended_.load() && overdue_thread(memory_, now_ns, 0).empty();
  }
  std::int64_t longest_restart_ns() const noexcept override { return 0; }
  void stop() override {
    wish_.store(io::IoWish::kEnd);
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::shared_ptr<const LoadedRig> rig_;
  io::IoOptions options_;
  rt::PlantMemory& memory_;
  log::Logger log_;
  std::atomic<io::IoWish> wish_{io::IoWish::kGoOn};
  std::atomic<bool> is_ready_{false}, has_ended_{false};
  std::thread thread_;
};

}  // namespace

std::vector<std::string> io_arguments(const io::IoOptions& options) {
  std::vector<std::string> arguments = {"io", options.directory.string()};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  for (const net::ListenAddress& address : options.listen.addresses) add("--listen", net::text_of(address));
  add("--folder", options.folder.string());
  add("--keys", options.listen.keys.string());
  add("--server-key", options.listen.server_key.string());
  for (const v1::Endpoint& stop : options.stops) {
    add("--stop", stop.address() + (stop.server_key().empty() ? "" : " " + stop.server_key()));
  }
  add("--record", options.record);
  if (options.panel) {
    arguments.push_back("--panel=" + gateway::text_of(options.panel->address));
    add("--panel-tokens", options.panel->tokens.string());
  }
  add("--log-level", std::string(log::name_of(options.log.level)));
  add("--log-format", std::string(log::name_of(options.log.format)));
  if (options.listen.consent == net::Consent::kInsecure) arguments.emplace_back("--insecure");
  return arguments;
}

Result<std::unique_ptr<IoRunner>> spawn_io(const io::IoOptions& options, const rt::MemoryFiles& memory,
                                           log::Logger log) {
  auto runner = std::make_unique<IoProcess>(options, memory, log);
  if (const auto error = runner->start()) return *error;
  return std::unique_ptr<IoRunner>(std::move(runner));
}

Result<std::unique_ptr<IoRunner>> start_io_thread(std::shared_ptr<const LoadedRig> rig, const io::IoOptions& options,
                                                  rt::PlantMemory& memory, log::Logger log) {
  auto runner = std::make_unique<IoThread>(std::move(rig), options, memory, log);
  if (!runner->starts()) return Error{"io", "did not come up"};
  return std::unique_ptr<IoRunner>(std::move(runner));
}

}  // namespace kinloop::run

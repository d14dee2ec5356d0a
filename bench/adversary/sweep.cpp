// Forks workers, reads what they find, goes on behind the seed that killed one.
//
// A worker writes lines: "begin <seed>", then what became of it ("reject", "drawn", "method", "finding", "apart", each
// followed by the family), at the end "end". What is read after "finding" and "apart" is printed as it is behind the
// command.
#include "bench/adversary/sweep.hpp"

#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/adversary/tally.hpp"

namespace kinloop::adversary {
namespace {

constexpr itimerval kMaxTime{{0, 0}, {300, 0}};  // of the processor, for one mechanism: others may be busy with it

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void work_on(const SweepPlan& plan, std::uint64_t seed, std::FILE* out) {
  std::fprintf(out, "begin %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(out);
  const Draw draw = draw_mechanism(seed, plan.family);
  const char* family = draw.family.c_str();
  if (!draw.reject.empty()) {
    std::fprintf(out, "reject %s %s\n", family, draw.reject.c_str());
    return;
  }
  const Judgement judgement = judge(draw, plan.judge);
  std::fprintf(out, "drawn %s %s %d\n", family, judgement.state.c_str(), judgement.resolved ? 0 : 1);
  for (const MethodVerdict& m : judgement.methods) {
    std::fprintf(out, "method %s %s %d %d %d %d %.3e %.3e\n", family, m.method.c_str(), m.refused ? 1 : 0,
                 m.compared ? 1 : 0, m.wrong ? 1 : 0, m.stopped ? 1 : 0, m.ratio, m.drift_ratio);
  }
  for (const Finding& f : judgement.findings) {
    std::fprintf(out, "finding %s %s - %s %s\n", family, f.check.c_str(), f.method.c_str(), f.text.c_str());
  }
  for (const Finding& f : judgement.apart) {
    std::fprintf(out, "apart %s %s - %s %s\n", family, f.check.c_str(), f.method.c_str(), f.text.c_str());
  }
}

/// One process that works on every `jobs`-th seed.
class Worker {
 public:
  Worker(const SweepPlan& plan, int number) : plan_(plan), next_(number) {}
  ~Worker() = default;

  bool is_done() const { return next_ >= plan_.count; }
  int descriptor() const { return pipe_; }

  void start(double seconds_left) {
    int ends[2];
    if (pipe(ends) != 0) std::exit(2);
    std::fflush(nullptr);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      std::FILE* out = fdopen(ends[1], "w");
      const auto began = std::chrono::steady_clock::now();
      for (int i = next_; i < plan_.count; i += plan_.jobs) {
        if (plan_.seconds > 0.0 && seconds_since(began) > seconds_left) break;
        setitimer(ITIMER_PROF, &kMaxTime, nullptr);
        work_on(plan_, plan_.first + static_cast<std::uint64_t>(i), out);
      }
      std::fputs("end\n", out);
      std::fflush(out);
      _exit(0);
    }
    close(ends[1]);
    pipe_ = ends[0];
    ended_ = false;
  }

  /// Whole lines that have come; none more when the process is gone.
  std::vector<std::string> read_lines() {
    char buffer[4096];
    const ssize_t count = ::read(pipe_, buffer, sizeof buffer);
    if (count <= 0) {
      close(pipe_);
      pipe_ = -1;
      waitpid(process_, &status_, 0);
      return {};
    }
    text_.append(buffer, static_cast<std::size_t>(count));
    std::vector<std::string> lines;
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      lines.push_back(text_.substr(0, end));
      text_.erase(0, end + 1);
    }
    return lines;
  }

  void begin(std::uint64_t seed) {
    seed_ = seed;
    next_ = static_cast<int>(seed - plan_.first) + plan_.jobs;
  }
  void end() {
    ended_ = true;
    next_ = plan_.count;
  }
  bool crashed() const { return pipe_ < 0 && !ended_; }
  std::uint64_t seed() const { return seed_; }
  std::string how_it_ended() const {
    if (!WIFSIGNALED(status_)) return "the process ended by itself";
    return WTERMSIG(status_) == SIGPROF ? "took more than 300 s"
                                        : "killed by signal " + std::to_string(WTERMSIG(status_));
  }

 private:
  const SweepPlan& plan_;
  int next_;
  int pipe_ = -1;
  pid_t process_ = 0;
  int status_ = 0;
  bool ended_ = false;
  std::uint64_t seed_ = 0;
  std::string text_;
};

void print_finding(const SweepPlan& plan, std::uint64_t seed, const std::string& line) {
  // "finding <family> <check...> - <method> <text>", or "apart"
  const std::size_t family = line.find(' ') + 1, check = line.find(' ', family) + 1;
  const std::size_t dash = line.find(" - ", check), text = line.find(' ', dash + 3);
  const std::string method = line.substr(dash + 3, text - dash - 3);
  std::printf("%sbench_adversary --seed %llu --only %s%s%s%s  # %s, %s:%s\n",
              line.starts_with("apart ") ? "no finding: " : "", static_cast<unsigned long long>(seed), method.c_str(),
              plan.family.empty() ? "" : " --family ", plan.family.c_str(), plan.judge.motion ? "" : " --no-motion",
              line.substr(family, check - family - 1).c_str(), line.substr(check, dash - check).c_str(),
              line.substr(text).c_str());
  std::fflush(stdout);
}

}  // namespace

int run_sweep(const SweepPlan& plan) {
  const auto began = std::chrono::steady_clock::now();
  Tally tally;
  int drawn = 0;
  std::vector<Worker> workers;
  for (int i = 0; i < plan.jobs; ++i) workers.emplace_back(plan, i);
  const auto left = [&] { return plan.seconds - seconds_since(began); };
  for (Worker& worker : workers) worker.start(left());
  while (true) {
    std::vector<pollfd> polled;
    std::vector<Worker*> polled_workers;
    for (Worker& worker : workers) {
      if (worker.descriptor() < 0) continue;
      polled.push_back({worker.descriptor(), POLLIN, 0});
      polled_workers.push_back(&worker);
    }
    if (polled.empty()) break;
    poll(polled.data(), polled.size(), -1);
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      Worker& worker = *polled_workers[i];
      for (const std::string& line : worker.read_lines()) {
        if (line.starts_with("begin ")) {
          worker.begin(std::strtoull(line.c_str() + 6, nullptr, 10));
          ++drawn;
        } else if (line == "end") {
          worker.end();
        } else {
          tally.take(line);
          if (line.starts_with("finding ") || line.starts_with("apart ")) print_finding(plan, worker.seed(), line);
        }
      }
      if (!worker.crashed()) continue;
      const std::string line = "finding any crash - any " + worker.how_it_ended();
      tally.take(line);
      print_finding(plan, worker.seed(), line);
      if (!worker.is_done() && (plan.seconds <= 0.0 || left() > 0.0)) worker.start(left());
    }
  }
  tally.print();
  const double seconds = seconds_since(began);
  std::printf("%d mechanisms in %.0f s, %.0f a minute\n", drawn, seconds, 60.0 * drawn / seconds);
  return tally.findings() > 0 ? 1 : 0;
}

}  // namespace kinloop::adversary

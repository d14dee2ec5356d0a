// Measures the round trip of a command into a plant in lockstep and of the frame that reflects it: over ipc, beside a
// bare ZeroMQ ping-pong of equal sizes, and by a lane, beside a bare ping-pong of two futexes, in the same run. Then a
// controller at 10 kHz in real time, by a lane. Batches of a way and its bare one take turns. Times are the least
// median of all batches; the ratio is the median of those of neighbours, since where the kernel puts the threads of
// either changes its time by half for batches on end.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <kinloop/client/plant.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/roundtrip/futex_ping_pong.hpp"
#include "bench/roundtrip/ping_pong.hpp"

namespace kinloop::bench {
namespace {

constexpr int kPerBatch = 500;
constexpr int kWarmUp = 2000;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_us(int count, const std::function<void()>& once) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    once();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(std::move(times));
}

pid_t start_plant(const std::filesystem::path& folder, const std::filesystem::path& rig, const std::string& mode) {
  std::fflush(stdout);  // else the child would print once more what waits there
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  static_cast<void>(std::freopen("/dev/null", "w", stdout));
  ::execl(KINLOOP_BINARY, "kinloop", "run", rig.c_str(), "--mode", mode.c_str(), "--allow-degraded", "--runs",
          (folder / "runs").c_str(), nullptr);
  std::_Exit(1);
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/// A controller of all actuators.
client::Plant controller_of(const std::string& rig, client::Transport transport) {
  client::Options options;
  options.transport = transport;
  for (int i = 0; i < 400; ++i) {
    auto plant = client::Plant::connect(rig, options);
    if (plant) {
      const auto lease = plant->acquire({}, client::Plant::Seconds(60.0));
      if (!lease) fail(lease.error().message);
      if (transport == client::Transport::kAutomatic && !plant->uses_shared_memory()) fail("there is no lane");
      return std::move(plant).value();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  fail("the plant does not answer");
}

/// One way to the plant and the bare one that it is measured beside, in turn.
struct Ratio {
  std::vector<double> bare_us, ours_us;

  void take_turns(int batches, const std::function<void()>& bare, const std::function<void()>& ours) {
    median_us(kWarmUp, ours);
    median_us(kWarmUp, bare);
    for (int i = 0; i < batches; ++i) {
      bare_us.push_back(median_us(kPerBatch, bare));
      ours_us.push_back(median_us(kPerBatch, ours));
    }
  }
  void print(const std::string& rig, const char* way, double step_us) const {
    std::vector<double> ratios;
    std::vector<double> without_step;
    for (std::size_t i = 0; i < bare_us.size(); ++i) {
      ratios.push_back(ours_us[i] / bare_us[i]);
      without_step.push_back((ours_us[i] - step_us) / bare_us[i]);
    }
    std::printf("%-12s %-8s %10.1f %10.1f %8.1f %8.2f %18.2f\n", rig.c_str(), way,
                *std::min_element(bare_us.begin(), bare_us.end()), *std::min_element(ours_us.begin(), ours_us.end()),
                step_us, median(ratios), median(without_step));
    std::fflush(stdout);
  }
};

double step_us_of(client::Plant& plant) {
  const auto timing = plant.timing();
  return timing ? static_cast<double>(timing->execution_ns().p50()) * 1e-3 : 0.0;
}

void measure(const std::string& rig, int batches, const std::filesystem::path& folder) {
  const std::filesystem::path file = std::filesystem::path(KINLOOP_SOURCE_DIR) / "configs/rigs" / (rig + ".yaml");
  const pid_t pid = start_plant(folder, file, "lockstep");
  std::vector<double> values;
  std::size_t frame_bytes = 0;
  const auto steps_of = [&](client::Plant& plant) {
    values.assign(static_cast<std::size_t>(plant.description().actuators_size()), 0.0);
    return [&] {
      const auto frame = plant.step(values);
      if (!frame) fail(frame.error().message);
      frame_bytes = (*frame)->ByteSizeLong();
    };
  };
  {
    client::Plant plant = controller_of(rig, client::Transport::kSockets);
    const auto through_plant = steps_of(plant);
    through_plant();                               // how large frames are
    constexpr std::size_t kFrameHead = 4 * 9 + 9;  // of an ActuatorFrame, and of an ActuatorReply
    PingPong bare(folder.string(), kFrameHead + 2 + 8 * values.size(), frame_bytes + 12);
    Ratio ratio;
    ratio.take_turns(
        batches, [&] { bare.once(); }, through_plant);
    ratio.print(rig, "sockets", step_us_of(plant));
    static_cast<void>(plant.release());
  }
  {
    FutexPingPong bare;
    client::Plant plant = controller_of(rig, client::Transport::kAutomatic);
    Ratio ratio;
    ratio.take_turns(
        batches, [&] { bare.once(); }, steps_of(plant));
    ratio.print(rig, "lane", step_us_of(plant));
    static_cast<void>(plant.shutdown());
  }
  ::waitpid(pid, nullptr, 0);
}

/// A controller at 10 kHz, by the clock: each frame is answered by a command.
void measure_real_time(double time_s, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "fast.yaml";
  std::ofstream(file) << "kinloop_rig: 1\nname: fast\nmodel: " KINLOOP_SOURCE_DIR
                         "/configs/models/pendulum.yaml\nrate: 10 kHz\n"
                         "sensors: [{name: angle, signal: q.pin}]\n"
                         "actuators: [{name: motor, joint: pin, kind: force, command: {max_age: 20 ms}}]\n";
  const pid_t pid = start_plant(folder, file, "real_time");
  client::Plant plant = controller_of("fast", client::Transport::kAutomatic);
  static_cast<void>(plant.recv(std::chrono::milliseconds(0)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(time_s);
  std::uint64_t frames = 0;
  std::uint64_t stale = 0;
  std::vector<double> ages;
  while (std::chrono::steady_clock::now() < end) {
    const v1::SensorFrame* const frame = plant.recv(std::chrono::seconds(1));
    if (frame == nullptr) fail("the plant fell silent");
    if (frame->command_sequence() != 0) {
      ++frames;
      stale += (frame->flags() & v1::FRAME_FLAG_STALE) != 0 ? 1 : 0;
      ages.push_back(static_cast<double>(frame->command_age_ticks()));
    }
    static_cast<void>(plant.send({-0.1 * frame->value(0)}, 1));
  }
  std::sort(ages.begin(), ages.end());
  const auto age_at = [&](double share) {
    return ages.empty() ? 0.0 : ages[static_cast<std::size_t>(share * static_cast<double>(ages.size() - 1))];
  };
  const auto timing = plant.timing();
  std::printf(
      "10 kHz, %.0f s by the lane: %llu frames seen, %llu passed over, %llu stale; age of the command in force, ticks: "
      "p50 %.0f, p99 %.0f, p99.9 %.0f, maximum %.0f; the plant's own wake-ups late by p50 %.0f us, p99.9 %.0f us\n",
      time_s, static_cast<unsigned long long>(frames),
      static_cast<unsigned long long>(plant.counters().frames_received - frames),
      static_cast<unsigned long long>(stale), age_at(0.5), age_at(0.99), age_at(0.999), age_at(1.0),
      timing ? static_cast<double>(timing->wakeup_ns().p50()) * 1e-3 : 0.0,
      timing ? static_cast<double>(timing->wakeup_ns().p999()) * 1e-3 : 0.0);
  static_cast<void>(plant.shutdown());
  ::waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace kinloop::bench

int main(int argc, char** argv) {
  int batches = 40;
  double real_time_s = 10.0;
  std::vector<std::string> rigs = {"pendulum", "four_bar", "excavator"};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--batches" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      batches = std::atoi(argv[++i]);
    } else if (argument == "--rig" && i + 1 < argc) {
      rigs = {argv[++i]};
    } else if (argument == "--real-time" && i + 1 < argc) {
      real_time_s = std::atof(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: bench_roundtrip [--batches N] [--rig NAME] [--real-time SECONDS]\n");
      return 2;
    }
  }
  std::string pattern = (std::filesystem::temp_directory_path() / "kinloop-roundtrip-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 1;
  ::setenv("KINLOOP_RUNTIME_DIR", pattern.c_str(), 1);
  std::printf("%-12s %-8s %10s %10s %8s %8s %18s\n", "rig", "by", "bare, us", "plant, us", "step, us", "ratio",
              "without the step");
  for (const std::string& rig : rigs) kinloop::bench::measure(rig, batches, pattern);
  if (real_time_s > 0.0) kinloop::bench::measure_real_time(real_time_s, pattern);
  std::filesystem::remove_all(pattern);
  return 0;
}

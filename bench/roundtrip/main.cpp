// Measures the round trip of a command into a plant in lockstep and of the frame that reflects it, over ipc, beside a
// bare ZeroMQ ping-pong of equal sizes in the same run. Batches of both take turns. Times are the least median of all
// batches; the ratio is the median of those of neighbours, since where the kernel puts the threads of either changes
// its time by half for batches on end.
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

pid_t start_plant(const std::filesystem::path& folder, const std::filesystem::path& rig) {
  std::fflush(stdout);  // else the child would print once more what waits there
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  static_cast<void>(std::freopen("/dev/null", "w", stdout));
  ::execl(KINLOOP_BINARY, "kinloop", "run", rig.c_str(), "--mode", "lockstep", "--allow-degraded", "--runs",
          (folder / "runs").c_str(), nullptr);
  std::_Exit(1);
}

client::Plant connected(const std::string& rig) {
  for (int i = 0; i < 400; ++i) {
    auto plant = client::Plant::connect(rig);
    if (plant) return std::move(plant).value();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::fprintf(stderr, "the plant does not answer\n");
  std::exit(1);
}

void measure(const std::string& rig, int batches, const std::filesystem::path& folder) {
  const std::filesystem::path file = std::filesystem::path(KINLOOP_SOURCE_DIR) / "configs/rigs" / (rig + ".yaml");
  const pid_t pid = start_plant(folder, file);
  {
    client::Plant plant = connected(rig);
    const auto lease = plant.acquire({}, client::Plant::Seconds(60.0));
    if (!lease) {
      std::fprintf(stderr, "%s\n", lease.error().message.c_str());
      return;
    }
    const std::vector<double> values(static_cast<std::size_t>(plant.description().actuators_size()), 0.0);
    std::size_t frame_bytes = 0;
    const auto through_plant = [&] {
      const auto frame = plant.step(values);
      if (!frame) {
        std::fprintf(stderr, "%s\n", frame.error().message.c_str());
        std::exit(1);
      }
      frame_bytes = (*frame)->ByteSizeLong();
    };
    median_us(kWarmUp, through_plant);
    constexpr std::size_t kFrameHead = 4 * 9 + 9;  // of an ActuatorFrame, and of an ActuatorReply
    PingPong bare(folder.string(), kFrameHead + 2 + 8 * values.size(), frame_bytes + 12);
    median_us(kWarmUp, [&] { bare.once(); });

    std::vector<double> bare_us;
    std::vector<double> ours_us;
    for (int i = 0; i < batches; ++i) {
      bare_us.push_back(median_us(kPerBatch, [&] { bare.once(); }));
      ours_us.push_back(median_us(kPerBatch, through_plant));
    }
    const auto timing = plant.timing();
    const double step_us = timing ? static_cast<double>(timing->execution_ns().p50()) * 1e-3 : 0.0;
    std::vector<double> ratios;
    std::vector<double> without_step;
    for (std::size_t i = 0; i < bare_us.size(); ++i) {
      ratios.push_back(ours_us[i] / bare_us[i]);
      without_step.push_back((ours_us[i] - step_us) / bare_us[i]);
    }
    std::printf("%-16s %10.1f %10.1f %8.1f %8.2f %18.2f\n", rig.c_str(),
                *std::min_element(bare_us.begin(), bare_us.end()), *std::min_element(ours_us.begin(), ours_us.end()),
                step_us, median(ratios), median(without_step));
    static_cast<void>(plant.shutdown());
  }
  ::waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace kinloop::bench

int main(int argc, char** argv) {
  int batches = 40;
  std::vector<std::string> rigs = {"pendulum", "four_bar", "excavator"};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--batches" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      batches = std::atoi(argv[++i]);
    } else if (argument == "--rig" && i + 1 < argc) {
      rigs = {argv[++i]};
    } else {
      std::fprintf(stderr, "usage: bench_roundtrip [--batches N] [--rig NAME]\n");
      return 2;
    }
  }
  std::string pattern = (std::filesystem::temp_directory_path() / "kinloop-roundtrip-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 1;
  ::setenv("KINLOOP_RUNTIME_DIR", pattern.c_str(), 1);
  std::printf("%-16s %10s %10s %8s %8s %18s\n", "rig", "bare, us", "plant, us", "step, us", "ratio",
              "without the step");
  for (const std::string& rig : rigs) kinloop::bench::measure(rig, batches, pattern);
  std::filesystem::remove_all(pattern);
  return 0;
}

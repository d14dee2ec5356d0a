// Starts it and waits until its loop runs; io is up by then.
#include "tests/system/running_rig.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "tests/support/named_memory.hpp"

namespace kinloop {

bool comes(const std::function<bool()>& condition, std::chrono::seconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

pid_t child_named(pid_t parent, const std::string& name) {
  const std::string pid = std::to_string(parent);
  pid_t found = 0;
  EXPECT_TRUE(comes([&] {
    std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
    for (pid_t child = 0; children >> child;) {
      std::string comm;
      std::ifstream("/proc/" + std::to_string(child) + "/comm") >> comm;
      if (comm == name) found = child;
    }
    return found != 0;
  })) << "there is no "
      << name;
  return found;
}

pid_t thread_named(pid_t process, const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string comm;
    std::ifstream(entry.path() / "comm") >> comm;
    if (comm == name) return std::atoi(entry.path().filename().c_str());
  }
  return 0;
}

RunningRig::RunningRig(std::filesystem::path folder, const std::string& mode, const std::string& keys,
                       const std::vector<std::string>& more_arguments)
    : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "own.yaml") << "kinloop_rig: 1\nname: own\nmodel: " + std::string(KINLOOP_SOURCE_DIR) +
                                             "/configs/models/pendulum.yaml\nrate: 1 kHz\nmode: " + mode + "\n" + keys +
                                             "sensors: [{name: angle, signal: q.pin}]\n"
                                             "actuators:\n"
                                             "  - {name: motor, joint: pin, kind: force, command: {max_age: none}}\n";
  std::vector<std::string> arguments = {"run", (folder_ / "own.yaml").string(), "--runs", (folder_ / "runs").string(),
                                        "--allow-degraded"};
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  ::setenv("KINLOOP_RUNTIME_DIR", (folder_ / "r").c_str(), 1);  // NOLINT: one thread
  run_.emplace(arguments);
  EXPECT_TRUE(comes([&] {
    auto files = test::open_named_memory(directory() / "memory", rt::MemoryOwner::kIo);
    if (files) files_.emplace(std::move(files).value());
    return files_.has_value();
  }));
  if (!files_) throw std::runtime_error("the rig has no memory");
  EXPECT_TRUE(comes([&] { return memory().heartbeat.running.load() != 0; }));
}

RunningRig::~RunningRig() {
  if (!has_ended_) end();
}

std::filesystem::path RunningRig::directory() const {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "runs", failed)) return entry.path();
  return folder_ / "none";
}

std::string RunningRig::log() const {
  std::ifstream file(directory() / "kinloop.log");
  return {std::istreambuf_iterator<char>(file), {}};
}

int RunningRig::end() {
  run_->send(SIGTERM);
  return wait();
}

int RunningRig::wait() {
  has_ended_ = true;
  return run_->wait();
}

}  // namespace kinloop

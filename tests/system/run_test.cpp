// Runs rigs with the program itself: processes, signals, watchdog, shared memory, exit codes, what is left behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "rt/loop/memory_files.hpp"
#include "rt/timing/clock.hpp"
#include "services/base/text_file.hpp"
#include "services/record/record_reader.hpp"
#include "services/record/record_writer.hpp"
#include "tests/support/named_memory.hpp"
#include "tests/support/notify_socket.hpp"
#include "tests/support/pattern.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/system/running_rig.hpp"

namespace kinloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string text_of(const std::filesystem::path& file) {
  constexpr std::size_t kMax = 1 << 26;
  return read_text_file(file, kMax).value();
}

class RunTest : public TemporaryFolder {
 protected:
  /// A rig of configs/rigs with more patience: a busy host may stop the plant for longer than a real rig allows.
  std::string rig(const std::string& name) {
    std::string text = text_of(std::string(KINLOOP_SOURCE_DIR) + "/configs/rigs/" + name + ".yaml");
    const auto set = [&](const std::string& pattern, const std::string& by) {
      text = test::replaced(text, pattern, by);
    };
    set("model: \\.\\.", std::string("model: ") + KINLOOP_SOURCE_DIR + "/configs");
    set("watchdog:.*\n", "");
    set("  max_consecutive:.*\n", "");
    write(name + ".yaml", text + "watchdog: {timeout: 20 s}\n");
    return (folder_ / (name + ".yaml")).string();
  }

  /// A rig of one's own on a model of configs/models.
  std::string own_rig(const std::string& model, const std::string& rest) {
    write("own.yaml", "kinloop_rig: 1\nname: own\nmodel: " + std::string(KINLOOP_SOURCE_DIR) + "/configs/models/" +
                          model + ".yaml\n" + rest);
    return (folder_ / "own.yaml").string();
  }

  /// A rig with its model in the test's folder, for those who may not look into the clone.
  std::string open_to_all(const std::string& name) {
    const std::string file = rig(name);
    const std::filesystem::path model = std::string(KINLOOP_SOURCE_DIR) + "/configs/models/" + name + ".yaml";
    std::filesystem::copy_file(model, folder_ / "model.yaml");
    write(name + ".yaml", test::replaced(text_of(file), "model: .*", "model: model.yaml"));
    std::filesystem::permissions(folder_, std::filesystem::perms::all);
    return file;
  }
  /// The program, likewise.
  std::filesystem::path binary_for_all() const {
    std::filesystem::copy_file(KINLOOP_BINARY, folder_ / "kinloop");
    return folder_ / "kinloop";
  }

  std::vector<std::string> arguments(const std::string& rig_file, const std::vector<std::string>& more) const {
    // Without sockets: these tests stand in for io themselves.
    std::vector<std::string> all = {"run",      rig_file, "--runs", folder_.string(), "--allow-degraded",
                                    "--listen", "none"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Of the one run in the test's folder.
  std::filesystem::path directory() const {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.is_directory()) found = entry.path();
    }
    return found;
  }

  std::vector<nlohmann::json> events() const {
    std::vector<nlohmann::json> all;
    std::ifstream file(directory() / "events.jsonl");
    for (std::string line; std::getline(file, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  std::optional<nlohmann::json> event(const std::string& kind) const {
    for (const nlohmann::json& event : events()) {
      if (event["event"] == kind) return event;
    }
    return std::nullopt;
  }
};

/// The plant's memory as a client sees it.
class Client {
 public:
  explicit Client(const std::function<std::filesystem::path()>& directory) {
    std::filesystem::path file;
    EXPECT_TRUE(comes([&] {
      file = directory() / "memory";
      return !directory().empty() && std::filesystem::exists(file);
    }));
    auto files = test::open_named_memory(file, rt::MemoryOwner::kIo);
    EXPECT_TRUE(files);
    files_.emplace(std::move(files).value());
    EXPECT_TRUE(comes([&] { return memory().heartbeat.running.load() != 0; })) << "the plant does not start";
  }

  rt::PlantMemory& memory() { return files_->memory(); }

  rt::Command command(double value, std::uint64_t sequence, std::uint32_t count = 1) {
    command_.sequence = sequence;
    command_.count = count;
    for (std::size_t i = 0; i < count; ++i) command_.give(i, value);
    command_.seal();
    return command_;
  }

 private:
  std::optional<rt::MemoryFiles> files_;
  rt::Command command_;
};

pid_t plant_of(pid_t supervisor) { return child_named(supervisor, "kinloop-plant"); }

TEST_F(RunTest, LeavesADirectoryThatTellsAllOfTheRun) {
  Process run(arguments(rig("four_bar"), {"--mode", "free", "-t", "2"}));
  const std::string out = run.read_output();

  ASSERT_EQ(run.wait(), 0) << run.read_errors();
  EXPECT_THAT(out, HasSubstr("2000"));
  const auto timing = nlohmann::json::parse(text_of(directory() / "timing.json"));
  EXPECT_EQ(timing["steps"], 2000);
  EXPECT_EQ(timing["exit_code"], 0);
  EXPECT_TRUE(nlohmann::json::parse(text_of(directory() / "host.json")).contains("kernel"));
  EXPECT_THAT(text_of(directory() / "rig.yaml"), HasSubstr("model: \"model.yaml\""));
  EXPECT_TRUE(std::filesystem::exists(directory() / "model.yaml"));
  EXPECT_EQ(events().front()["event"], "started");
  EXPECT_EQ(events().back()["event"], "ended");
}

TEST_F(RunTest, WhatAutoTookStandsWithItsReasonInRecordRigCertificateAndReport) {
  const std::string file = own_rig("pendulum",
                                   "rate: 1 kHz\nwatchdog: {timeout: 20 s}\nsolver: {integrator: auto}\n"
                                   "overrun: {policy: degrade}\ndegraded_solvers: [{integrator: auto}]\n");
  const std::string record = (folder_ / "r.mcap").string();
  const std::string certificate = (folder_ / "c.json").string();
  Process run(arguments(file, {"--mode", "free", "-t", "0.1", "--record", record, "--certificate", certificate}));

  const std::string report = run.read_output();
  const std::string log = run.read_errors();
  ASSERT_EQ(run.wait(), 0) << log;
  EXPECT_THAT(report, HasSubstr(" with semi_implicit_euler, by auto: the step resolves all that is fast here"));
  EXPECT_THAT(log, HasSubstr("auto takes semi_implicit_euler: the step resolves all that is fast here"));
  const std::string chosen = "integrator: auto  # semi_implicit_euler: the step resolves all that is fast here";
  const std::string kept = text_of(directory() / "rig.yaml");
  const std::size_t first = kept.find(chosen);
  ASSERT_NE(first, std::string::npos) << kept;
  EXPECT_NE(kept.find(chosen, first + 1), std::string::npos) << "of the degraded solver";
  auto reader = record::RecordReader::open(record);
  ASSERT_TRUE(reader);
  int rigs = 0;
  for (const record::McapAttachment& attached : reader->attachments()) {
    if (attached.name != "rig.yaml") continue;
    ++rigs;
    EXPECT_THAT(attached.data, HasSubstr(chosen));
  }
  EXPECT_EQ(rigs, 1);
  const auto told = nlohmann::json::parse(text_of(certificate));
  EXPECT_EQ(told["solvers"][0]["integrator"], "semi_implicit_euler");
  EXPECT_THAT(told["solvers"][0]["integrator_reason"].get<std::string>(), HasSubstr("the step resolves"));
  EXPECT_THAT(told["solvers"][1]["integrator_reason"].get<std::string>(), HasSubstr("the step resolves"));
}

TEST_F(RunTest, InRealTimeASecondTakesASecond) {
  const auto start = std::chrono::steady_clock::now();
  Process run(arguments(rig("pendulum"), {"-t", "1", "--certificate", (folder_ / "c.json").string()}));
  const std::string out = run.read_output();

  ASSERT_EQ(run.wait(), 0) << run.read_errors();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  const auto certificate = nlohmann::json::parse(text_of(folder_ / "c.json"));
  EXPECT_EQ(certificate["rig"], "pendulum");
  EXPECT_EQ(certificate["timing"]["steps"], 1000);
  EXPECT_THAT(text_of(folder_ / "c.svg"), HasSubstr("<svg"));
}

/// The same record with another command in one step.
void copy_with_other_command(const std::filesystem::path& from, const std::filesystem::path& to, std::uint64_t step) {
  auto reader = record::RecordReader::open(from);
  ASSERT_TRUE(reader);
  std::vector<record::RecordedFile> files;
  for (const record::McapAttachment& file : reader->attachments()) files.push_back({file.name, file.data});
  auto writer = record::RecordWriter::begin(to, reader->facts(), files);
  ASSERT_TRUE(writer);
  while (true) {
    const auto item = reader->next();
    ASSERT_TRUE(item);
    if (*item == nullptr) return;
    const auto* input = std::get_if<const v1::StepInput*>(&(*item)->message);
    if (input == nullptr) continue;
    v1::StepInput copy = **input;
    if (copy.step() == step) copy.set_command(0, 3.0);
    writer->write(copy, {0, copy.step()});
  }
}

std::vector<std::uint64_t> hashes_of(const std::filesystem::path& file) {
  std::vector<std::uint64_t> hashes;
  auto reader = record::RecordReader::open(file);
  EXPECT_TRUE(reader);
  reader->want({record::RecordChannel::kInputs});
  for (auto item = reader->next(); item && *item != nullptr; item = reader->next()) {
    hashes.push_back(std::get<const v1::StepInput*>((*item)->message)->state_hash());
  }
  return hashes;
}

TEST_F(RunTest, ARecordReplaysAndAChangedOneIsFound) {
  const std::string record = (folder_ / "r.mcap").string();
  Process run(arguments(rig("four_bar"), {"-t", "1", "--record", record}));
  run.read_output();
  ASSERT_EQ(run.wait(), 0) << run.read_errors();
  Process same({"replay", record});
  EXPECT_THAT(same.read_output(), HasSubstr("all 1000 steps"));
  EXPECT_EQ(same.wait(), 0) << same.read_errors();

  copy_with_other_command(record, folder_ / "other.mcap", 401);
  Process different({"replay", (folder_ / "other.mcap").string()});
  EXPECT_THAT(different.read_errors(), HasSubstr("step 401"));
  EXPECT_EQ(different.wait(), 5);
}

TEST_F(RunTest, ARecordThatFindsNoRoomIsToldAndThePlantGoesOn) {
  const std::string record = (folder_ / "r.mcap").string();
  std::vector<std::string> limited = {"--fsize=9000000", KINLOOP_BINARY};  // the plant's memory needs some of it too
  // Over before the record is looked at for the first time.
  const auto run_it = arguments(rig("four_bar"), {"--mode", "free", "-t", "60", "--record", record});
  limited.insert(limited.end(), run_it.begin(), run_it.end());
  Process run("prlimit", limited);

  const std::string errors = run.read_errors();
  run.read_output();

  EXPECT_EQ(run.wait(), 0);
  EXPECT_THAT(errors, HasSubstr("the record " + record + " is not complete: File too large"));
}

TEST_F(RunTest, AThreadGivesTheSameStatesAsAProcess) {
  const std::string separate = (folder_ / "separate.mcap").string();
  Process run(arguments(rig("four_bar"), {"--mode", "free", "-t", "3", "--record", separate}));
  run.read_output();
  ASSERT_EQ(run.wait(), 0) << run.read_errors();

  const std::string together = (folder_ / "together.mcap").string();
  Process single(arguments(rig("four_bar"), {"--mode", "free", "-t", "3", "--record", together, "--single-process"}));
  single.read_output();
  ASSERT_EQ(single.wait(), 0) << single.read_errors();

  const auto hashes = hashes_of(separate);
  EXPECT_EQ(hashes.size(), 3000U);
  EXPECT_EQ(hashes, hashes_of(together));
}

TEST_F(RunTest, RecordsOfEveryModeReplay) {
  for (const std::string mode : {"free", "real_time", "lockstep"}) {
    for (const std::string processes : {"", "--single-process"}) {
      const std::string record = (folder_ / (mode + processes + ".mcap")).string();
      std::vector<std::string> options = {"--mode", mode, "--record", record, "-t", "0.2"};
      if (!processes.empty()) options.push_back(processes);
      Process run(arguments(rig("pendulum"), options));
      if (mode == "lockstep") {
        Client client([&] { return directory(); });
        for (std::uint64_t i = 1; i <= 200; ++i) {
          ASSERT_TRUE(comes([&] { return client.memory().releases.push(client.command(1.0, i)); })) << processes;
          client.memory().to_plant.notify();
        }
      }
      run.read_output();
      ASSERT_EQ(run.wait(), 0) << mode << processes << run.read_errors();

      Process replay({"replay", record});

      EXPECT_THAT(replay.read_output(), HasSubstr("all 200 steps")) << mode << processes;
      EXPECT_EQ(replay.wait(), 0) << mode << processes << replay.read_errors();
      std::filesystem::remove_all(directory());  // the next run's is then the only one
    }
  }
}

/// User and system time of a process so far.
double processor_time_s(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  std::vector<std::string> words;
  while (file >> word) words.push_back(word);
  if (words.size() < 15) return 0.0;
  return (std::stod(words[13]) + std::stod(words[14])) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

TEST_F(RunTest, ARecordWithoutSocketsLeavesTheProcessorToOthers) {
  Process run(arguments(rig("pendulum"), {"--record", (folder_ / "r.mcap").string()}));
  const pid_t io = child_named(run.pid(), "kinloop-io");
  Client client([&] { return directory(); });
  const double before_s = processor_time_s(io);
  const auto began = std::chrono::steady_clock::now();

  std::this_thread::sleep_for(std::chrono::seconds(1));  // what is measured is the time in which nothing happens

  const double passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  EXPECT_LT(processor_time_s(io) - before_s, 0.4 * passed_s);
  run.send(SIGTERM);
  run.read_output();
  EXPECT_EQ(run.wait(), 0) << run.read_errors();
}

TEST_F(RunTest, CtrlCEndsItAndUsr1MakesItReport) {
  Process run(arguments(rig("pendulum"), {}));
  Client client([&] { return directory(); });
  run.send(SIGUSR1);
  EXPECT_THAT(run.read_line(), HasSubstr("pendulum"));
  run.send(SIGINT);

  run.read_output();
  EXPECT_EQ(run.wait(), 0) << run.read_errors();
  EXPECT_TRUE(event("ended"));
}

TEST_F(RunTest, InLockstepEachCommandGetsItsFrame) {
  Process run(arguments(rig("pendulum"), {"--mode", "lockstep"}));
  Client client([&] { return directory(); });
  rt::SensorFrame frame;

  for (std::uint64_t i = 1; i <= 100; ++i) {
    ASSERT_TRUE(client.memory().releases.push(client.command(1.0, i)));
    client.memory().to_plant.notify();
    ASSERT_TRUE(comes([&] { return client.memory().frames.take(frame); }));
    ASSERT_EQ(frame.step, i);
    ASSERT_EQ(frame.command_sequence, i);
  }
  run.send(SIGTERM);

  run.read_output();
  EXPECT_EQ(run.wait(), 0) << run.read_errors();
}

/// Keeps all processors busy while it lives.
class Load {
 public:
  Load() {
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
      hogs_.push_back(std::make_unique<Process>("sh", std::vector<std::string>{"-c", "while :; do :; done"}));
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    for (const auto& hog : hogs_) {
      hog->send(SIGKILL);
      hog->wait();
    }
  }

 private:
  std::vector<std::unique_ptr<Process>> hogs_;
};

TEST_F(RunTest, AStoppedPlantIsSeenWithinTheBoundAndItsSensorsShowWhatIsDeclared) {
  constexpr double kTimeout_ms = 100.0;
  constexpr double kWatchdogPeriod_ms = 25.0;
  constexpr double kBusyHost_ms = 200.0;  // by which a host that grants no priority may wake the watchdog too late
  const Load load;
  const std::string file = own_rig("pendulum",
                                   "rate: 1 kHz\nwatchdog: {timeout: 100 ms}\nsensors:\n"
                                   "  - {name: a, signal: q.pin, on_fault: invalid}\n"
                                   "  - {name: b, signal: q.pin, on_fault: {value: 7 rad}}\n"
                                   "  - {name: c, signal: q.pin}\n");
  Process run(arguments(file, {}));
  Client client([&] { return directory(); });
  rt::SensorFrame frame;
  ASSERT_TRUE(comes([&] { return client.memory().frames.take(frame); }));

  const pid_t plant = plant_of(run.pid());
  const std::int64_t stopped_ns = rt::MonotonicClock().now_ns();
  ASSERT_EQ(kill(plant, SIGSTOP), 0);

  rt::SensorFrame last;
  ASSERT_TRUE(comes([&] { return client.memory().last_frames.take(last); }));
  run.read_output();
  EXPECT_EQ(run.wait(), 4) << run.read_errors();
  EXPECT_NE(last.flags & rt::frame_flag::kFaulted, 0U);
  EXPECT_TRUE(std::isnan(last.value[0]));
  EXPECT_NE(last.quality[0] & rt::sensor_flag::kInvalid, 0);
  EXPECT_EQ(last.value[1], 7.0);
  EXPECT_TRUE(std::isfinite(last.value[2]));
  const auto tripped = event("watchdog_tripped");
  ASSERT_TRUE(tripped);
  const double after_ms = static_cast<double>((*tripped)["time_ns"].get<std::int64_t>() - stopped_ns) * 1e-6;
  EXPECT_GT((*tripped)["value"].get<double>() * 1e-6, kTimeout_ms);
  EXPECT_LT(after_ms, kTimeout_ms + kWatchdogPeriod_ms + kBusyHost_ms);
  std::printf("the watchdog tripped %.1f ms after SIGSTOP, its bound and one period are %.0f ms\n", after_ms,
              kTimeout_ms + kWatchdogPeriod_ms);
}

TEST_F(RunTest, APlantThatIsStoppedForAShortTimeGoesOnAndSaysThatItWasLate) {
  const std::string file = own_rig("pendulum", "rate: 1 kHz\nwatchdog: {timeout: 20 s}\n");
  const std::string record = (folder_ / "r.mcap").string();
  Process run(arguments(file, {"-t", "1", "--record", record}));
  Client client([&] { return directory(); });
  const pid_t plant = plant_of(run.pid());

  ASSERT_EQ(kill(plant, SIGSTOP), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // this long, not until something happens
  ASSERT_EQ(kill(plant, SIGCONT), 0);

  run.read_output();
  EXPECT_EQ(run.wait(), 0) << run.read_errors();
  EXPECT_TRUE(event("overrun"));
  Process replay({"replay", record});
  replay.read_output();
  EXPECT_EQ(replay.wait(), 0) << replay.read_errors();
}

TEST_F(RunTest, AKilledPlantIsToldToTheClient) {
  Process run(arguments(rig("pendulum"), {}));
  Client client([&] { return directory(); });

  ASSERT_EQ(kill(plant_of(run.pid()), SIGKILL), 0);

  rt::SensorFrame last;
  ASSERT_TRUE(comes([&] { return client.memory().last_frames.take(last); }));
  run.read_output();
  EXPECT_EQ(run.wait(), 1) << run.read_errors();
  EXPECT_TRUE(event("plant_died"));
}

TEST_F(RunTest, APlantDoesNotOutliveItsSupervisor) {
  Process run(arguments(rig("pendulum"), {}));
  Client client([&] { return directory(); });
  const pid_t plant = plant_of(run.pid());

  run.send(SIGKILL);

  EXPECT_EQ(run.wait(), -SIGKILL);
  EXPECT_TRUE(comes([&] { return client.memory().heartbeat.running.load() == 0; }));
  EXPECT_TRUE(comes([&] {
    std::string state;
    std::ifstream stat("/proc/" + std::to_string(plant) + "/stat");
    stat >> state >> state >> state;
    return !stat || state == "Z";
  }));
}

TEST_F(RunTest, AStepThatFailsIsExitCode5) {
  const std::string file = own_rig("pendulum",
                                   "rate: 1 kHz\nwatchdog: {timeout: 20 s}\nactuators: [{name: m, joint: pin, kind: "
                                   "force, command: {max_age: none}}]\n");
  Process run(arguments(file, {}));
  Client client([&] { return directory(); });

  client.memory().command.write(client.command(1e300, 1));

  run.read_output();
  EXPECT_EQ(run.wait(), 5) << run.read_errors();
  EXPECT_TRUE(event("step_failed"));
}

TEST_F(RunTest, TooManyLateStepsAreExitCode3) {
  const std::string file = own_rig("n_four_bar",
                                   "parameters: {windows: 100}\nstep: 10 us\nwatchdog: {timeout: 20 s}\n"
                                   "overrun: {policy: skip, max_consecutive: 5}\n");
  Process run(arguments(file, {}));

  run.read_output();
  EXPECT_EQ(run.wait(), 3) << run.read_errors();
  EXPECT_TRUE(event("overrun_limit"));
}

TEST_F(RunTest, WithoutAnAgeOfCommandsItWarnsInFreeModeAndRunsInNoOther) {
  const std::string file =
      own_rig("pendulum", "rate: 1 kHz\nmode: free\nactuators: [{name: motor, joint: pin, kind: force}]\n");
  const std::string warning = "missing key 'command': how old a command may grow";

  Process check({"check", file});
  Process run(arguments(file, {"-t", "0.1"}));
  EXPECT_THAT(check.read_output() + check.read_errors(), HasSubstr(warning));
  EXPECT_THAT(run.read_errors(), HasSubstr(warning));
  EXPECT_EQ(check.wait(), 0);
  EXPECT_EQ(run.wait(), 0);
  for (const std::string mode : {"real_time", "lockstep"}) {
    Process other(arguments(file, {"-t", "0.1", "--mode", mode}));
    EXPECT_THAT(other.read_errors(), HasSubstr("actuator 'motor' has no 'max_age'"));
    EXPECT_EQ(other.wait(), 2);
  }
}

TEST_F(RunTest, ABadRigIsExitCode2WithItsPlace) {
  const std::string file = own_rig("pendulum", "rate: 1 kHz\nmod: free\n");
  Process run(arguments(file, {}));

  EXPECT_THAT(run.read_errors(), AllOf(HasSubstr("own.yaml:5:1"), HasSubstr("mode")));
  EXPECT_EQ(run.wait(), 2);
}

/// A file among the devices that stands in for a hardware watchdog; gone at the end.
struct FakeDevice {
  FakeDevice() : path("/dev/shm/kinloop-test-" + std::to_string(::getpid())) { std::ofstream file(path); }
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;
  ~FakeDevice() { std::filesystem::remove(path); }

  std::filesystem::path path;
};

TEST_F(RunTest, SystemdAndTheHardwareAreToldOfHealthOnlyWhileThereIsSome) {
  const NotifySocket systemd(folder_ / "notify");
  std::string told;
  const FakeDevice device;
  const std::string file =
      own_rig("pendulum", "rate: 1 kHz\nwatchdog: {timeout: 300 ms, device: " + device.path.string() + "}\n");
  std::vector<std::string> words = {"NOTIFY_SOCKET=" + (folder_ / "notify").string(), "WATCHDOG_USEC=40000",
                                    KINLOOP_BINARY};
  for (const std::string& word : arguments(file, {})) words.push_back(word);
  Process run("env", words);
  Client client([&] { return directory(); });
  EXPECT_TRUE(comes([&] {
    told += systemd.all();
    return told.find("READY=1") != std::string::npos && told.find("WATCHDOG=1") != std::string::npos;
  }));
  EXPECT_TRUE(comes([&] { return std::filesystem::file_size(device.path) > 0; }));

  ASSERT_EQ(kill(plant_of(run.pid()), SIGSTOP), 0);

  run.read_output();
  EXPECT_EQ(run.wait(), 4) << run.read_errors();
  EXPECT_EQ((told + systemd.all()).find("STOPPING=1"), std::string::npos) << "this is no proper end";
  EXPECT_EQ(text_of(device.path).find('V'), std::string::npos) << "the hardware is to reset the machine";
}

TEST_F(RunTest, AProperEndDisarmsTheHardware) {
  const FakeDevice device;
  const std::string file =
      own_rig("pendulum", "rate: 1 kHz\nwatchdog: {timeout: 20 s, device: " + device.path.string() + "}\n");
  Process run(arguments(file, {"-t", "0.1"}));

  run.read_output();
  EXPECT_EQ(run.wait(), 0) << run.read_errors();
  EXPECT_EQ(text_of(device.path).back(), 'V');
}

/// As a user without any privilege.
std::vector<std::string> as_nobody(std::vector<std::string> arguments, const std::filesystem::path& binary) {
  arguments.insert(arguments.begin(), {"--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
                                       "--bounding-set=-all", binary.string()});
  return arguments;
}

TEST_F(RunTest, AnUnprivilegedHostIsRefusedWithTheCommandThatMendsIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody without privileges";

  Process run("setpriv",
              as_nobody({"run", open_to_all("pendulum"), "--runs", folder_.string(), "-t", "1"}, binary_for_all()));
  const std::string errors = run.read_errors();

  EXPECT_EQ(run.wait(), 6) << errors;
  EXPECT_THAT(errors, AllOf(HasSubstr("SCHED_FIFO"), HasSubstr("setcap cap_sys_nice,cap_ipc_lock+ep"),
                            HasSubstr("--allow-degraded")));
}

TEST_F(RunTest, OrRunsDegradedAndSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody without privileges";

  Process run("setpriv", as_nobody(arguments(open_to_all("pendulum"), {"-t", "0.2"}), binary_for_all()));
  const std::string out = run.read_output();

  EXPECT_EQ(run.wait(), 0) << run.read_errors();
  EXPECT_THAT(out, HasSubstr("SCHED_FIFO"));
  EXPECT_FALSE(nlohmann::json::parse(text_of(directory() / "timing.json"))["refusals"].empty());
}

}  // namespace
}  // namespace kinloop

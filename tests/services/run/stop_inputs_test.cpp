// Tests that a rig's stop inputs reach the plant's memory, and that nothing but their own good state ends a stop.
#include "services/run/stop_inputs.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/input.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "tests/support/private_memory.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

bool comes_soon(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Of this process's thread of that name, s.
double cpu_time_of(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string comm;
    std::ifstream(task.path() / "comm") >> comm;
    if (comm != name) continue;
    std::uint64_t run_ns = 0;
    std::ifstream(task.path() / "schedstat") >> run_ns;
    return static_cast<double>(run_ns) * 1e-9;
  }
  return 0.0;
}

class StopInputsTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    device_ = folder_ / "event0";
    plug_in();
  }
  void TearDown() override {
    unplug();
    TemporaryFolder::TearDown();
  }
  /// A pipe with a name in the place of a device: events of a key can be written into it.
  void plug_in() {
    ASSERT_EQ(::mkfifo(device_.c_str(), 0600), 0);
    writer_ = ::open(device_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(writer_, 0);
  }
  void unplug() {
    std::filesystem::remove(device_);
    if (writer_ >= 0) ::close(writer_);
    writer_ = -1;
  }
  void send(std::int32_t value) const {
    input_event event{};
    event.type = EV_KEY;
    event.code = KEY_ESC;
    event.value = value;
    ASSERT_EQ(::write(writer_, &event, sizeof(event)), static_cast<ssize_t>(sizeof(event)));
  }
  void open(StopInputSpec::Contact contact) {
    StopInputSpec spec;
    spec.device = device_.string();
    spec.key = KEY_ESC;
    spec.contact = contact;
    auto inputs = StopInputs::open({spec}, {}, *memory_, {});
    ASSERT_TRUE(inputs) << inputs.error().what;
    inputs_ = std::move(inputs).value();
  }
  std::uint64_t stops() const { return memory_->stops[static_cast<std::size_t>(rt::StopWriter::kLocal)].count.load(); }
  bool stops_again() const {
    const std::uint64_t before = stops();
    return comes_soon([&] { return stops() > before; });
  }
  /// Whether the word stands still, as far as a busy machine lets one see that.
  bool stands_still() const {
    return comes_soon([&] {
      const std::uint64_t before = stops();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return stops() == before;
    });
  }

  std::filesystem::path device_;
  int writer_ = -1;
  std::unique_ptr<rt::PrivateMemory> memory_ = std::make_unique<rt::PrivateMemory>();
  std::unique_ptr<StopInputs> inputs_;  // ends before the memory does
};

TEST_F(StopInputsTest, APressIsAStopAndAHeldButtonStopsAgainAndAgain) {
  open(StopInputSpec::Contact::kNormallyOpen);
  EXPECT_EQ(stops(), 0U);

  send(1);
  EXPECT_TRUE(stops_again());
  EXPECT_TRUE(stops_again()) << "who re-arms meanwhile has re-armed nothing";
  send(0);
  EXPECT_TRUE(stands_still());
}

TEST_F(StopInputsTest, AnOpenChainIsAStopBeforeTheFirstStep) {
  open(StopInputSpec::Contact::kNormallyClosed);

  EXPECT_GT(stops(), 0U);
  send(1);
  EXPECT_TRUE(stands_still());
}

TEST_F(StopInputsTest, ADeviceThatIsGoneStopsUntilItIsBack) {
  open(StopInputSpec::Contact::kNormallyOpen);

  unplug();
  EXPECT_TRUE(stops_again());
  EXPECT_TRUE(stops_again());
  plug_in();
  EXPECT_TRUE(stands_still());
  send(1);
  EXPECT_TRUE(stops_again()) << "it is read again";
}

/// Its thread may go before others: what never falls silent must leave them a processor.
TEST_F(StopInputsTest, ADeviceThatFloodsKeepsNoProcessorBusyAndItsStopIsFound) {
  open(StopInputSpec::Contact::kNormallyOpen);
  std::array<input_event, 64> noise{};
  std::atomic<bool> ends{false};
  std::thread flood([&] {
    while (!ends) {
      if (::write(writer_, noise.data(), sizeof noise) < 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it is under way

  const double before_s = cpu_time_of("stop-inputs");
  const auto since = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double used_s = cpu_time_of("stop-inputs") - before_s;
  const double time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  if (!kIsSanitized) {
    EXPECT_LT(used_s, 0.6 * time_s);
  }
  EXPECT_EQ(stops(), 0U);

  input_event pressed{};
  pressed.type = EV_KEY;
  pressed.code = KEY_ESC;
  pressed.value = 1;
  while (::write(writer_, &pressed, sizeof pressed) < 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  EXPECT_TRUE(comes_soon([&] { return stops() > 0; }));
  ends = true;
  flood.join();
}

TEST_F(StopInputsTest, ItsThreadShowsLife) {
  open(StopInputSpec::Contact::kNormallyOpen);
  const WatchedThread thread = inputs_->thread();

  ASSERT_TRUE(comes_soon([&] { return thread.beat->at_ns.load() != 0; }));
  const std::int64_t seen_ns = thread.beat->at_ns.load();
  EXPECT_TRUE(comes_soon([&] { return thread.beat->at_ns.load() > seen_ns; }));
  thread.while_silent();
  EXPECT_EQ(memory_->stops[static_cast<std::size_t>(rt::StopWriter::kSupervisor)].count.load(), 1U);
}

TEST_F(StopInputsTest, AnInputThatCannotBeOpenedIsAnError) {
  unplug();
  StopInputSpec spec;
  spec.device = device_.string();
  spec.key = KEY_ESC;

  const auto inputs = StopInputs::open({spec}, {}, *memory_, {});

  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().where, device_.string() + ", KEY_ESC");
}

}  // namespace
}  // namespace kinloop::run

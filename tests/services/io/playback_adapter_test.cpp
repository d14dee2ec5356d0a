// Tests that every step gets the value that the file has for it, and which files are refused.
#include "services/io/playback_adapter.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "tests/services/io/adapter_fixture.hpp"
#include "tests/services/record/sample_record.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr std::int64_t kNow_ns = 5'000'000'000;

class PlaybackAdapterTest : public TemporaryFolder {
 protected:
  LoadedRig rig(const std::string& mode, const std::string& file, const std::string& keys = "",
                const std::string& lines = "") const {
    return cart_rig("mode: " + mode + "\n" + lines + "adapters: [{kind: playback, file: \"" +
                    (folder_ / file).string() + "\"" + keys + "}]\n");
  }

  /// All that is wrong with a CSV.
  std::string refusal(const std::string& text, const std::string& keys = "") const {
    write("it.csv", text);
    const LoadedRig loaded = rig("real_time", "it.csv", keys);
    Bench bench(loaded);
    const auto adapters = make_adapters(loaded, bench.arbiter);
    if (adapters) return "it is taken";
    const std::string error = adapters.error().where + ": " + adapters.error().what;
    const std::string prefix = "adapters[0].file: " + folder_.string() + "/";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }
};

std::unique_ptr<Adapter> only_adapter(const LoadedRig& rig, CommandArbiter& arbiter) {
  auto adapters = make_adapters(rig, arbiter);
  if (!adapters) {
    ADD_FAILURE() << adapters.error().where << ": " << adapters.error().what;
    return nullptr;
  }
  return std::move(adapters.value().front());
}

/// Takes steps as a plant in lockstep does, until none is released; what the belt was given in each.
std::vector<double> play(Adapter& adapter, Bench& bench, std::size_t max_steps, double dt_s = 1e-3) {
  adapter.begin(rt::LoopStatus{}, kNow_ns);
  std::vector<double> given;
  double time_s = 0.0;
  while (given.size() < max_steps) {
    const auto release = bench.release();
    if (!release) break;
    EXPECT_TRUE(adapter.is_waiting());
    EXPECT_FALSE(bench.release()) << "one at a time";
    given.push_back(release->value[0]);
    time_s += dt_s;  // as a plant's time is: a sum
    rt::SensorFrame frame = frame_of(given.size());
    frame.time_s = time_s;
    frame.release = release->release;
    adapter.send(frame, kNow_ns);
  }
  return given;
}

TEST_F(PlaybackAdapterTest, InLockstepEachRowHoldsUntilTheNextAndTheEndIsTheEnd) {
  write("it.csv", "t,belt\n0,1\n0.003,2\n0.005,3\n");
  const LoadedRig loaded = rig("lockstep", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);

  const std::vector<double> given = play(*adapter, bench, 100);

  EXPECT_THAT(given, ElementsAre(1, 1, 1, 2, 2, 3));
  EXPECT_FALSE(adapter->is_waiting());
  EXPECT_TRUE(bench.arbiter.leases().empty()) << "others may go on";
}

TEST_F(PlaybackAdapterTest, ManyStepsDoNotShiftTheRows) {
  std::string csv = "time_s,belt\n";
  std::vector<double> expected;
  for (int i = 0; i < 20'000; ++i) {
    csv += std::to_string(i / 1000) + "." + std::to_string(1000 + i % 1000).substr(1) + "," + std::to_string(i % 29) +
           "\n";
    expected.push_back(i % 29);
  }
  write("it.csv", csv);
  const LoadedRig loaded = rig("lockstep", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);

  EXPECT_EQ(play(*adapter, bench, 30'000), expected);
}

TEST_F(PlaybackAdapterTest, LinearGoesStraightFromRowToRow) {
  write("it.csv", "t,belt\n0,0\n0.004,8\n0.006,4\n");
  const LoadedRig loaded = rig("lockstep", "it.csv", ", interpolation: linear");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);

  const std::vector<double> given = play(*adapter, bench, 100);

  const std::vector<double> expected = {0, 2, 4, 6, 8, 6, 4};
  ASSERT_EQ(given.size(), expected.size());
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(given[i], expected[i], 1e-9) << i;
}

TEST_F(PlaybackAdapterTest, ARepetitionBeginsWhereTheLastRowStands) {
  write("it.csv", "t,belt\n0.001,1\n0.002,2\n0.004,3\n");
  const LoadedRig loaded = rig("lockstep", "it.csv", ", repeat: true");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);

  const std::vector<double> given = play(*adapter, bench, 3001);

  ASSERT_EQ(given.size(), 3001U);
  EXPECT_EQ(given[0], 2.0) << "before the first row: the initial value";
  for (std::size_t i = 1; i < given.size(); ++i) ASSERT_EQ(given[i], (i - 1) % 3 == 0 ? 1.0 : 2.0) << i;
}

TEST_F(PlaybackAdapterTest, StartMovesTheFilesZero) {
  write("it.csv", "t,belt\n0,7\n0.001,8\n");
  const LoadedRig loaded = rig("lockstep", "it.csv", ", start: 3 ms");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);

  EXPECT_THAT(play(*adapter, bench, 100), ElementsAre(2, 2, 2, 7, 8));
}

TEST_F(PlaybackAdapterTest, ColumnsAreFoundByName) {
  write("it.csv", "hand,t,belt\n1,0,2\n");
  const LoadedRig loaded = rig("lockstep", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);

  adapter->begin(rt::LoopStatus{}, kNow_ns);

  const auto release = bench.release();
  ASSERT_TRUE(release);
  EXPECT_EQ(release->value[0], 2.0);
  EXPECT_EQ(release->value[1], 1.0);
}

TEST_F(PlaybackAdapterTest, ARecordIsPlayedStepByStep) {
  record::write_sample(folder_ / "run.mcap", 40, 7);
  auto loaded = load_rig_text(
      "kinloop_rig: 1\nmodel: ../models/pendulum.yaml\nrate: 1 kHz\nmode: lockstep\n"
      "actuators: [{name: motor, joint: pin, kind: force, command: {max_age: none}}]\n"
      "adapters: [{kind: playback, file: \"" +
          (folder_ / "run.mcap").string() + "\"}]\n",
      test::rig_path("it").string());
  ASSERT_TRUE(loaded) << to_text(loaded.error());
  Bench bench(*loaded);
  const auto adapter = only_adapter(*loaded, bench.arbiter);

  const std::vector<double> given = play(*adapter, bench, 100);

  std::vector<double> recorded;
  for (std::uint64_t step = 1; step <= 40; ++step) recorded.push_back(record::sample_input(step).command(0));
  EXPECT_THAT(given, ElementsAreArray(recorded));
}

TEST_F(PlaybackAdapterTest, ARecordOfOtherActuatorsIsRefused) {
  record::write_sample(folder_ / "run.mcap", 4, 7);
  const LoadedRig loaded = rig("lockstep", "run.mcap");
  Bench bench(loaded);

  const auto adapters = make_adapters(loaded, bench.arbiter);

  ASSERT_FALSE(adapters);
  EXPECT_THAT(adapters.error().what, HasSubstr("the rig has no actuator 'motor'"));
}

TEST_F(PlaybackAdapterTest, ByTheClockEachFrameBringsTheValueOfTheNextStep) {
  write("it.csv", "t,belt\n0,1\n0.002,2\n0.003,3\n");
  const LoadedRig loaded = rig("real_time", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);
  std::vector<double> given;
  const auto look = [&] {
    const auto command = bench.command();
    given.push_back(command ? command->value[0] : -1.0);
  };

  adapter->begin(rt::LoopStatus{}, kNow_ns);
  look();
  for (std::uint64_t step = 1; step <= 4; ++step) {
    adapter->send(frame_of(step), kNow_ns);
    look();
  }

  EXPECT_THAT(given, ElementsAre(1, 1, 2, 3, -1)) << "after the end nothing is said";
  EXPECT_TRUE(bench.arbiter.leases().empty());
  EXPECT_FALSE(adapter->is_waiting());
}

TEST_F(PlaybackAdapterTest, FramesThatLeaveAtTheNextReleaseAreMetAStepFurtherOn) {
  write("it.csv", "t,belt\n0,1\n0.002,2\n0.003,3\n");
  const LoadedRig loaded = rig("real_time", "it.csv", "", "frames: {leave: at_release}\n");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);

  adapter->send(frame_of(1), kNow_ns);

  EXPECT_EQ(bench.command()->value[0], 2.0);
}

TEST_F(PlaybackAdapterTest, APlantThatWasSetBackPlaysAgain) {
  write("it.csv", "t,belt\n0,1\n0.002,2\n");
  const LoadedRig loaded = rig("real_time", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);
  adapter->send(frame_of(2), kNow_ns);
  adapter->send(frame_of(9), kNow_ns);

  adapter->send(frame_of(1), kNow_ns);

  EXPECT_EQ(bench.command()->value[0], 1.0);
}

TEST_F(PlaybackAdapterTest, InLockstepItWaitsForActuatorsThatSomebodyElseHolds) {
  write("it.csv", "t,belt\n0,1\n");
  const LoadedRig loaded = rig("lockstep", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);
  const std::vector<std::size_t> belt = {0};
  const auto other = bench.arbiter.acquire(belt, "somebody", 1.0, kNow_ns);
  ASSERT_TRUE(other);

  adapter->begin(rt::LoopStatus{}, kNow_ns);
  EXPECT_FALSE(bench.release());
  EXPECT_THAT(adapter->trouble(), HasSubstr("somebody else held the actuators 1 times"));
  bench.arbiter.release(other->id);
  adapter->receive(kNow_ns);

  EXPECT_TRUE(bench.release());
}

TEST_F(PlaybackAdapterTest, StepsThatOthersReleaseAreNotItsOwn) {
  write("it.csv", "t,belt\n0,1\n1,2\n");
  const LoadedRig loaded = rig("lockstep", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);
  adapter->begin(rt::LoopStatus{}, kNow_ns);
  ASSERT_TRUE(bench.release());

  rt::SensorFrame frame = frame_of(1);
  frame.release = 12345;
  adapter->send(frame, kNow_ns);

  EXPECT_FALSE(bench.release());
}

TEST_F(PlaybackAdapterTest, AnIoThatWasStartedAgainGoesOnWhereThePlantStands) {
  write("it.csv", "t,belt\n0,1\n0.5,2\n1,3\n");
  const LoadedRig loaded = rig("lockstep", "it.csv");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);
  rt::LoopStatus plant;
  plant.step = 600;
  plant.time_s = 0.6;

  adapter->begin(plant, kNow_ns);

  EXPECT_EQ(bench.release()->value[0], 2.0);
}

TEST_F(PlaybackAdapterTest, AHundredThousandFramesAllocateNothing) {
  write("it.csv", "t,belt\n0,1\n0.01,2\n0.02,3\n");
  const LoadedRig loaded = rig("real_time", "it.csv", ", repeat: true, interpolation: linear");
  Bench bench(loaded);
  const auto adapter = only_adapter(loaded, bench.arbiter);
  adapter->begin(rt::LoopStatus{}, kNow_ns);

  const AllocationCount allocations;
  for (std::uint64_t step = 1; step <= 100'000; ++step) adapter->send(frame_of(step), kNow_ns);

  EXPECT_EQ(allocations.value(), 0);
  EXPECT_EQ(bench.arbiter.counters().taken, 100'001);
}

TEST_F(PlaybackAdapterTest, AFileThatIsWrongIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("belt\n1\n"), "it.csv:1: there is no column 't' or 'time_s', the time in seconds");
  EXPECT_EQ(refusal("t\n1\n"), "it.csv:1: there is no column of an actuator beside the time");
  EXPECT_EQ(refusal("t,blet\n0,1\n"),
            "it.csv:1: the rig has no actuator 'blet'; did you mean 'belt'? (actuators: 'belt', 'hand')");
  EXPECT_EQ(refusal("t,belt\n0,1\n0,2\n"), "it.csv:3: times go up from row to row: 0 s comes after 0 s");
  EXPECT_EQ(refusal("t,belt\n0,\n"), "it.csv:2: the value of 'belt' is no number");
  EXPECT_EQ(refusal("t,belt\nnan,1\n"), "it.csv:2: the time is no number");
  EXPECT_EQ(refusal("t,belt\n0,31\n"), "it.csv:2: 31 is beyond the limits of 'belt', -30 to 30");
  EXPECT_EQ(refusal("t,belt\n0,1,2\n"), "it.csv:2: the row has 3 cells, the header 2 cells");
  EXPECT_EQ(refusal("t,belt\n"), "it.csv: there is no row in it");
  EXPECT_EQ(refusal(""), "it.csv: the file is empty");
  EXPECT_EQ(refusal("t,belt\n0,1\n", ", repeat: true"),
            "it.csv: is shorter than a step of the rig: there is nothing to repeat");
}

TEST_F(PlaybackAdapterTest, AFileThatIsNotThereIsAnError) {
  for (const std::string file : {"nowhere.csv", "nowhere.mcap"}) {
    const LoadedRig loaded = rig("real_time", file);
    Bench bench(loaded);

    const auto adapters = make_adapters(loaded, bench.arbiter);

    ASSERT_FALSE(adapters);
    EXPECT_THAT(adapters.error().where, HasSubstr("adapters[0].file: " + (folder_ / file).string()));
  }
}

TEST_F(PlaybackAdapterTest, ModeFreeIsRefused) {
  write("it.csv", "t,belt\n0,1\n");
  LoadedRig loaded = rig("lockstep", "it.csv");
  loaded.spec.mode = rt::Mode::kFree;  // as the command line may
  Bench bench(loaded);

  const auto adapters = make_adapters(loaded, bench.arbiter);

  ASSERT_FALSE(adapters);
  EXPECT_EQ(adapters.error().where, "adapters[0].kind");
  EXPECT_THAT(adapters.error().what, HasSubstr("use lockstep"));
}

TEST_F(PlaybackAdapterTest, TwoFilesCanNotMoveOneActuator) {
  write("a.csv", "t,belt\n0,1\n");
  write("b.csv", "t,hand,belt\n0,1,1\n");
  LoadedRig loaded = rig("lockstep", "a.csv");
  auto second = std::get<PlaybackAdapterSpec>(loaded.spec.adapters[0]);
  second.file = folder_ / "b.csv";
  loaded.spec.adapters.emplace_back(second);
  Bench bench(loaded);

  const auto adapters = make_adapters(loaded, bench.arbiter);

  ASSERT_FALSE(adapters);
  EXPECT_THAT(adapters.error().what, HasSubstr("'belt' is played by another adapter already"));
}

}  // namespace
}  // namespace kinloop::io

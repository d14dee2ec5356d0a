// Tests what replay says of records that are not whole: which steps are missing and why, where it was cut off, and that
// it names the record, not the folder it was unpacked to.
#include "services/run/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/stepping_mode.hpp"
#include "core/plant/plant.hpp"
#include "rt/messages/state_hash.hpp"
#include "services/base/text_file.hpp"
#include "services/base/write_file.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/services/record/sample_record.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kRig = "kinloop_rig: 1\nname: swung\nmodel: model.yaml\nrate: 1 kHz\n";
constexpr const char* kModel = R"(kinloop: 1
name: pendulum
bodies:
  - {name: rod, mass: 1 kg, com: [0, 0, -0.5 m], inertia: [0.1 kg m^2, 0.1 kg m^2, 0.01 kg m^2]}
joints:
  - {name: pin, type: revolute, predecessor: ground, successor: rod, axis: [0, 1, 0], q: 60 deg}
)";
constexpr std::size_t kMaxBytes = 1 << 22;

void ignore(double /*share*/, double /*time_s*/) {}

class ReplayTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    write("rig.yaml", kRig);
    write("model.yaml", kModel);
  }

  std::filesystem::path file() const { return folder_ / "swung.mcap"; }

  record::RecordWriter begin(const std::vector<record::RecordedFile>& files = {{"rig.yaml", kRig},
                                                                               {"model.yaml", kModel}}) const {
    return record::RecordWriter::begin(file(), record::sample_facts(), files).value();
  }

  /// Steps 1 to `count`, without those that were lost.
  void write_steps(record::RecordWriter& to, std::uint64_t count, std::uint64_t first_lost = 0,
                   std::uint64_t last_lost = 0) const {
    const LoadedRig rig = load_rig(folder_ / "rig.yaml").value();
    const auto plant = Plant::make(rig.model.model, rig.spec.plant).value();
    const SteppingMode floating_point;
    State state = plant->initial_state();
    for (std::uint64_t step = 1; step <= count; ++step) {
      ASSERT_TRUE(is_done(plant->step({}, state)));
      if (step >= first_lost && step <= last_lost) continue;
      v1::StepInput input;
      input.set_step(step);
      input.set_state_hash(rt::state_hash(state));
      to.write(input, {static_cast<std::int64_t>(step), step});
    }
  }

  void cut_to(std::size_t bytes) const {
    const std::string whole = read_text_file(file(), kMaxBytes).value();
    ASSERT_LT(bytes, whole.size());
    ASSERT_FALSE(write_file(file(), whole.substr(0, bytes)));
  }
};

TEST_F(ReplayTest, AWholeRecordAgreesWithoutRemarks) {
  {
    record::RecordWriter writer = begin();
    write_steps(writer, 50);
  }

  const auto replayed = replay(file(), ignore);

  ASSERT_TRUE(replayed) << replayed.error().where << ": " << replayed.error().what;
  EXPECT_EQ(replayed->steps, 50U);
  EXPECT_TRUE(replayed->remarks.empty());
}

TEST_F(ReplayTest, StepsThatWereDroppedAreNamedWithTheReasonThatTheRecordGives) {
  {
    record::RecordWriter writer = begin();
    write_steps(writer, 50, 21, 23);
    writer.add_lost(3, "the plant was faster than the record");
  }

  const auto replayed = replay(file(), ignore);

  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().where, "step 24");
  EXPECT_EQ(replayed.error().what,
            "steps are missing before it: they were dropped while it was recorded (the plant was faster than the "
            "record)");
}

TEST_F(ReplayTest, WithoutAReasonNoneIsMadeUp) {
  {
    record::RecordWriter writer = begin();
    write_steps(writer, 50, 21, 23);
  }

  const auto replayed = replay(file(), ignore);

  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().what, "steps are missing before it: they were dropped while it was recorded");
}

TEST_F(ReplayTest, ARecordThatWasCutOffAgreesAsFarAsItGoes) {
  std::size_t some = 0;
  {
    record::RecordWriter writer = begin();
    write_steps(writer, 50);
    ASSERT_TRUE(writer.flush());
    some = writer.counters().bytes;
    for (std::uint64_t step = 1; step <= 50; ++step) writer.write(v1::StepInput(), {});  // never reached
  }
  cut_to(some + 20);

  const auto replayed = replay(file(), ignore);

  ASSERT_TRUE(replayed) << replayed.error().where << ": " << replayed.error().what;
  EXPECT_EQ(replayed->steps, 50U);
  EXPECT_THAT(replayed->remarks, ElementsAre("the record was cut off: what followed is lost"));
}

TEST_F(ReplayTest, ARecordThatWasCutOffInItsHeadIsNamed) {
  { record::RecordWriter writer = begin(); }
  cut_to(60);

  const auto replayed = replay(file(), ignore);

  ASSERT_FALSE(replayed);
  EXPECT_THAT(replayed.error().where, HasSubstr(file().string()));
  EXPECT_THAT(replayed.error().what, HasSubstr("cut off before it says what it is of"));
}

TEST_F(ReplayTest, WhatIsWrongWithAFileInItIsSaidOfTheRecord) {
  {
    record::RecordWriter writer =
        begin({{"rig.yaml", std::string(kRig) + "mode: sometimes\n"}, {"model.yaml", kModel}});
  }

  const auto replayed = replay(file(), ignore);

  ASSERT_FALSE(replayed);
  EXPECT_THAT(replayed.error().where, testing::StartsWith(file().string() + ": rig.yaml:5"));
  EXPECT_THAT(replayed.error().what, HasSubstr("sometimes"));
}

TEST_F(ReplayTest, AFileThatIsMissingInItIsMissedInTheRecord) {
  { record::RecordWriter writer = begin({{"rig.yaml", kRig}}); }

  const auto replayed = replay(file(), ignore);

  ASSERT_FALSE(replayed);
  const std::string said = replayed.error().where + ": " + replayed.error().what;
  EXPECT_THAT(said, HasSubstr(file().string() + ": model.yaml"));
}

}  // namespace
}  // namespace kinloop::run

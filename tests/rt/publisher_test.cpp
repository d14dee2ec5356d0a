// Tests what a loop shows of itself: which frames leave and when, journal, status, poses.
#include "rt/loop/publisher.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/rt/loop_parts.hpp"
#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

struct PublisherRig : LoopParts {
  explicit PublisherRig(const LoopSettings& chosen = {})
      : publisher(chosen, stepped, run, overrun, clock, *memory, client) {}
  PublisherRig(const ModelSpec& mechanism, const PlantSpec& around)
      : LoopParts(mechanism, around), publisher({}, stepped, run, overrun, clock, *memory, client) {}

  /// As a tick does it.
  void step(const StepInput& given) {
    publisher.release_frame();
    const StepStatus status = plant->step(given, state);
    if (is_done(status)) plant->sense(state, publisher.readings());
    publisher.fill_frame({status, 0, 0, 0, false}, given);
    publisher.publish_step(given, origin);
    publisher.note_changes(status);
    ++run.steps;
  }
  void step() { step(plants::input_of(*plant, 1.0)); }

  std::vector<std::uint64_t> frames() {
    std::vector<std::uint64_t> steps;
    for (SensorFrame frame; memory->frames.take(frame);) steps.push_back(frame.step);
    return steps;
  }
  PoseSample pose() {
    const auto taken = memory->pose.take();
    return taken.value != nullptr ? *taken.value : PoseSample{};
  }

  StepOrigin origin;
  Publisher publisher;
};

TEST(Publisher, EveryNthFrameLeaves) {
  LoopSettings settings;
  settings.frames.every = 3;
  PublisherRig rig(settings);

  for (int i = 0; i < 7; ++i) rig.step();

  EXPECT_EQ(rig.frames(), (std::vector<std::uint64_t>{3, 6}));
}

TEST(Publisher, AFrameMayWaitForTheNextRelease) {
  LoopSettings settings;
  settings.frames.leave = FrameSettings::Leave::kAtRelease;
  PublisherRig rig(settings);

  rig.step();
  EXPECT_TRUE(rig.frames().empty());

  rig.publisher.release_frame();
  rig.publisher.release_frame();
  EXPECT_EQ(rig.frames(), (std::vector<std::uint64_t>{1}));
}

TEST(Publisher, TheLastFrameDoesNotWait) {
  LoopSettings settings;
  settings.frames = {100, FrameSettings::Leave::kAtRelease};
  PublisherRig rig(settings);

  rig.run.end_with(LoopEnd::kFault);
  rig.step();

  EXPECT_EQ(rig.frames(), (std::vector<std::uint64_t>{1}));
}

TEST(Publisher, TheJournalSaysWhatTheStepBeganWith) {
  PublisherRig rig;
  rig.origin = {7, 8, true};

  rig.step();

  JournalEntry entry;
  ASSERT_TRUE(rig.memory->journal.take(entry));
  EXPECT_EQ(entry.restored, 7U);
  EXPECT_EQ(entry.parameters, 8U);
  EXPECT_EQ(entry.parameters_last, 1U);
  EXPECT_EQ(entry.count, 1U);
}

TEST(Publisher, AJournalThatNobodyReadsIsFullAndOneThatIsNotKeptNever) {
  PublisherRig rig;
  while (!rig.publisher.journal_is_full()) {
    ASSERT_EQ(rig.memory->journal.dropped(), 0U) << "the plant waits before entries are lost";
    rig.step();
  }

  rig.publisher.keep_journal(Journal::kNone);
  EXPECT_FALSE(rig.publisher.journal_is_full());
}

TEST(Publisher, FaultsOfSignalsAreShownInTheStepThatBringsThem) {
  PublisherRig rig;
  rig.step();  // not one of the steps in which they are looked at anyway
  StepInput input = plants::input_of(*rig.plant, 1.0);
  input.changes = 1;
  input.change[0] = stuck(1);

  rig.step(input);
  rig.publisher.publish_status();

  const auto status = rig.memory->status.take();
  EXPECT_EQ(status.value->faults_of_signals[1], static_cast<std::uint8_t>(SignalFault::kStuck));
  EXPECT_EQ(rig.memory->io_status.take().value->faults_of_signals[1], status.value->faults_of_signals[1]);
}

TEST(Publisher, PosesComeNowAndThenAndWithEveryStepThatWasAskedFor) {
  PublisherRig rig;
  for (int i = 0; i < 20; ++i) rig.step();
  EXPECT_EQ(rig.pose().step, 16U) << "every 16 ms";

  rig.run.steps_left = 1;
  rig.step();
  EXPECT_EQ(rig.pose().step, 21U);
}

TEST(Publisher, AnEmergencyStopIsSeenInThePose) {
  PublisherRig rig;
  rig.input.make_safe();

  rig.publisher.publish_pose();

  const PoseSample pose = rig.pose();
  EXPECT_EQ(pose.safe, 1U);
  EXPECT_EQ(pose.stopped, 1U);
}

TEST(Publisher, NothingOfItAllocates) {
  PublisherRig rig;
  const StepInput input = plants::input_of(*rig.plant, 1.0);

  const AllocationCount allocations;
  rig.step(input);
  rig.publisher.publish_status();
  rig.publisher.publish_pose();
  rig.publisher.note(EventKind::kPaused, 0);

  EXPECT_EQ(allocations.value(), 0);
}

// The open tree has no inertia beyond its second joint, so that every step is handed on.
TEST(Publisher, AnswersOfAnotherFormulationAreCounted) {
  ModelSpec mechanism = mechanisms::four_bar();
  mechanism.bodies.back().mass = 0.0;
  mechanism.bodies.back().inertia = Matrix3::Zero();
  PlantSpec around;
  around.levels = {{"semi_recursive_2", "semi_implicit_euler", 1, {}}};
  PublisherRig rig(mechanism, around);

  for (int i = 0; i < 3; ++i) rig.step();
  rig.publisher.publish_status();

  EXPECT_EQ(rig.memory->status.take().value->fallbacks, 3);
}

}  // namespace
}  // namespace kinloop::rt

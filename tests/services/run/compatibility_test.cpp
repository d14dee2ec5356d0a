// Tests that records, snapshots and run directories of earlier versions are read (docs/compatibility.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "services/base/diagnostics.hpp"
#include "services/base/former_keys.hpp"
#include "services/base/text_file.hpp"
#include "services/files/load_model.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/rig/rig_file.hpp"
#include "services/run/replay.hpp"
#include "tests/services/io/embedded_plant.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMaxSampleBytes = 1 << 20;

/// Written by a version, which its commit names.
std::filesystem::path sample(const std::string& name, const std::string& commit = "a08b669") {
  return std::filesystem::path(KINLOOP_SOURCE_DIR) / "tests/data/compatibility" / commit / name;
}

/// Whether its states agree depends on the version and the processor: bits are promised for one program only.
TEST(Compatibility, ARecordIsReplayed) {
  const auto result = replay(sample("pendulum.mcap"), [](double, double) {});

  ASSERT_TRUE(result) << to_line(result.error());
  EXPECT_EQ(result->rig, "pendulum");
  EXPECT_TRUE(result->differs_at || result->steps == 50) << result->steps;
  EXPECT_TRUE(result->remarks.empty());
}

TEST(Compatibility, TheRigOfARunIsReadWithFormerKeys) {
  const auto rig = load_rig(sample("four_bar_run/rig.yaml"));

  ASSERT_TRUE(rig) << to_text(rig.error());
  EXPECT_EQ(rig->spec.overrun.max_behind, 10);
  EXPECT_EQ(rig->spec.overrun.max_consecutive, 20);
  EXPECT_EQ(rig->spec.commands.at(0).max_age_ticks, 200);
}

TEST(Compatibility, FormerKeysElsewhereAreErrorsThatNameTheNewOnes) {
  const auto text = read_text_file(sample("four_bar_run/rig.yaml"), kMaxSampleBytes);
  ASSERT_TRUE(text);

  const auto rig = load_rig_text(*text, sample("four_bar_run/rig.yaml").string());

  ASSERT_FALSE(rig);
  EXPECT_THAT(to_text(rig.error()), HasSubstr("actuators[0].command: 'most_age' is called 'max_age' now"));
}

TEST(Compatibility, KeysHaveTheirFormerNamesInHashes) {
  EXPECT_EQ(with_former_keys("{max_age: 1, climax_age: 2, max_age_s: 3, max_age: max_age}"),
            "{most_age: 1, climax_age: 2, max_age_s: 3, most_age: max_age}");
}

TEST(Compatibility, ModelsOfRecordsAreReadWithFormerKeys) {
  LoadOptions options;
  options.former_keys = FormerKeys::kAccepted;

  const auto model = load_model(test::bad_model_path("former_keys"), options);

  ASSERT_TRUE(model) << to_text(model.error());
  EXPECT_EQ(model->model.planes()[0].max_force, 1e3);
}

/// A message of an earlier schema, read by this one's: every field is known, nothing is lost.
template <class Message>
void read_wire_sample(const std::string& name, Message& message) {
  const auto bytes = read_text_file(sample("wire/" + name), kMaxSampleBytes);
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(message.ParseFromString(*bytes));
  EXPECT_TRUE(message.GetReflection()->GetUnknownFields(message).empty());
  EXPECT_EQ(message.SerializeAsString(), *bytes);
}

TEST(Compatibility, ADescriptionOnTheWireIsRead) {
  v1::Description description;
  read_wire_sample("description.bin", description);

  EXPECT_EQ(description.rig(), "four_bar");
  EXPECT_EQ(description.mode(), v1::MODE_LOCKSTEP);
  ASSERT_EQ(description.actuators_size(), 1);
  EXPECT_EQ(description.actuators(0).max_age_s(), 0.2);  // most_age_s there
  EXPECT_EQ(description.actuators(0).when_stale(), "ramp");
  ASSERT_EQ(description.sensors_size(), 1);
  EXPECT_EQ(description.sensors(0).delay_s(), 0.002);
}

TEST(Compatibility, FramesOnTheWireAreRead) {
  v1::ActuatorFrame command;
  read_wire_sample("actuator_frame.bin", command);
  v1::SensorFrame frame;
  read_wire_sample("sensor_frame.bin", frame);

  EXPECT_EQ(command.sequence(), 41U);
  EXPECT_EQ(command.value(0), 12.5);
  EXPECT_EQ(command.rearm(), 1U);
  EXPECT_EQ(frame.step(), 50U);
  EXPECT_EQ(frame.flags(), static_cast<std::uint32_t>(v1::FRAME_FLAG_STALE));
  EXPECT_EQ(frame.value(0), 0.25);
}

TEST(Compatibility, ARequestOnTheWireIsRead) {
  v1::ControlRequest request;
  read_wire_sample("control_request.bin", request);

  EXPECT_EQ(request.request_id(), 6U);
  ASSERT_EQ(request.verb_case(), v1::ControlRequest::kSetParameters);
  EXPECT_EQ(request.set_parameters().values(0).value(), "0.11 m");
}

class OldSnapshot : public TemporaryFolder {
 protected:
  static v1::Snapshot of(const std::string& commit) {
    v1::Snapshot snapshot;
    const auto bytes = read_text_file(sample("four_bar.snapshot", commit), kMaxSampleBytes);
    EXPECT_TRUE(bytes && snapshot.ParseFromString(*bytes));
    return snapshot;
  }
  /// Into a plant of the rig of that run, after 50 steps, as `kinloop ctl restore` reads the file.
  void expect_restored(const std::string& commit) {
    const auto bytes = read_text_file(sample("four_bar.snapshot", commit), kMaxSampleBytes);
    ASSERT_TRUE(bytes);
    const auto read = io::snapshot_in(*bytes);
    ASSERT_TRUE(read) << read.error().what;
    const v1::Snapshot& snapshot = *read;
    io::EmbeddedPlant embedded(sample("four_bar_run/rig.yaml", commit), folder_);
    auto plant = embedded.connect();
    ASSERT_TRUE(plant) << plant.error().message;
    ASSERT_TRUE(plant->pause());

    const auto restored = plant->restore(snapshot);

    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(plant->snapshot()->state_hash(), snapshot.state_hash());
    EXPECT_EQ(plant->status()->step(), 50U);
  }
};

TEST_F(OldSnapshot, OfVersion1IsRestored) {
  const v1::Snapshot snapshot = of("a08b669");

  ASSERT_EQ(snapshot.version(), 1U);
  EXPECT_EQ(snapshot.hash(), 0U);
  expect_restored("a08b669");
}

TEST_F(OldSnapshot, OfVersion2IsRestored) {
  const v1::Snapshot snapshot = of("402fb4f");

  ASSERT_EQ(snapshot.version(), 2U);
  EXPECT_NE(snapshot.hash(), 0U);
  expect_restored("402fb4f");
}

}  // namespace
}  // namespace kinloop::run

// Tests the verb export inside the process: tables, what it tells of records, what it refuses.
#include "services/cli/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/services/record/sample_record.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Export : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    record::write_sample(folder_ / "run.mcap", 12, 5);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text_of(const std::string& name) const { return record::bytes_of(folder_ / name); }
};

std::vector<std::string> export_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(Export, CsvHasOneRowAStep) {
  const Ran ran = run_kinloop({"export", path("run.mcap"), "--csv"});

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_EQ(ran.err, "");
  const std::vector<std::string> lines = export_lines_of(ran.out);
  ASSERT_EQ(lines.size(), 13U);
  EXPECT_EQ(lines[0], "t,step,flags,command.motor,sensor.crank,sensor.motor");
  EXPECT_EQ(lines[1], "0.001,1,0,0.5,0.1,-1");
  EXPECT_EQ(lines[10], "0.01,10,1,5,1,-1");
}

TEST_F(Export, CsvCanBePlotted) {
  EXPECT_EQ(run_kinloop({"export", path("run.mcap"), "--csv", "--out", path("run.csv")}).code, console::kDone);

  const Ran all = run_kinloop({"plot", path("run.csv"), "-o", path("run.svg")});
  const Ran some = run_kinloop({"plot", path("run.csv"), "-o", path("some.svg"), "--columns", "sensor.*,flags"});

  EXPECT_EQ(all.code, console::kDone) << all.err;
  EXPECT_EQ(some.code, console::kDone) << some.err;
}

TEST_F(Export, InfoTellsWhatTheRecordHolds) {
  const Ran ran = run_kinloop({"export", path("run.mcap"), "--info"});

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  for (const char* text :
       {"four_bar", "linkage", "real_time, 0.001 s a step", "kinloop 0.1.0, commit 0123456789ab, on bench",
        "2023-11-14 22:13:20 UTC", "0.012 s", "12, from 1 to 12, none missing", "dropped     none",
        "end         proper", "rig.yaml, 14 bytes", "sensors           12", "snapshots          1"}) {
    EXPECT_THAT(ran.out, HasSubstr(text));
  }
}

TEST_F(Export, ACutRecordGivesWhatItHasAndSaysSo) {
  const std::string bytes = text_of("run.mcap");
  const std::size_t data_end = bytes.find(std::string("\x0F\4\0\0\0\0\0\0\0", 9));
  record::put_bytes(path("cut.mcap"), bytes.substr(0, data_end));

  const Ran csv = run_kinloop({"export", path("cut.mcap"), "--csv"});
  const Ran info = run_kinloop({"export", path("cut.mcap"), "--info"});

  EXPECT_EQ(csv.code, console::kDone);
  EXPECT_EQ(export_lines_of(csv.out).size(), 13U);
  EXPECT_THAT(csv.err, HasSubstr("cut off"));
  EXPECT_THAT(info.out, HasSubstr("cut off at byte " + std::to_string(data_end)));
}

TEST_F(Export, ADamagedRecordGivesTheRowsBeforeTheDamage) {
  std::string bytes = text_of("run.mcap");
  const std::size_t last = bytes.rfind(record::sample_input(12).SerializeAsString());
  ASSERT_NE(last, std::string::npos);
  bytes[last] = static_cast<char>(bytes[last] ^ 1);
  record::put_bytes(path("run.mcap"), bytes);

  const Ran csv = run_kinloop({"export", path("run.mcap"), "--csv"});
  const Ran info = run_kinloop({"export", path("run.mcap"), "--info"});

  EXPECT_EQ(csv.code, console::kBadInput);
  EXPECT_EQ(export_lines_of(csv.out).size(), 11U);
  EXPECT_THAT(csv.err, HasSubstr("checksum"));
  EXPECT_THAT(info.out, HasSubstr("damaged: "));
}

TEST_F(Export, MissingStepsAreCounted) {
  auto writer = record::begin_sample(path("gap.mcap"), 2, 1);
  writer.write(record::sample_input(7), record::sample_time(7));
  EXPECT_TRUE(writer.finish().has_value());

  const Ran info = run_kinloop({"export", path("gap.mcap"), "--info"});
  const Ran csv = run_kinloop({"export", path("gap.mcap"), "--csv"});

  EXPECT_THAT(info.out, HasSubstr("3, from 1 to 7, 4 missing"));
  EXPECT_EQ(export_lines_of(csv.out).back(), ",7,,3.5,,");
}

TEST_F(Export, UnpackWritesTheConfiguration) {
  const Ran ran = run_kinloop({"export", path("run.mcap"), "--unpack", path("again")});

  EXPECT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_EQ(text_of("again/rig.yaml"), "rig: four_bar\n");
  EXPECT_EQ(text_of("again/model.json"), "{}");
}

TEST_F(Export, BadUsageIsRefused) {
  const std::string before = text_of("run.mcap");

  EXPECT_EQ(run_kinloop({"export", path("run.mcap")}).code, console::kBadInput);
  EXPECT_EQ(run_kinloop({"export", path("run.mcap"), "--csv", "--info"}).code, console::kBadInput);
  EXPECT_EQ(run_kinloop({"export", path("none.mcap"), "--csv"}).code, console::kBadInput);
  EXPECT_EQ(run_kinloop({"export", path("run.mcap"), "--csv", "-o", path("no/such.csv")}).code, console::kBadInput);
  const Ran onto_itself = run_kinloop({"export", path("run.mcap"), "--csv", "-o", path("run.mcap")});

  EXPECT_EQ(onto_itself.code, console::kBadInput);
  EXPECT_THAT(onto_itself.err, HasSubstr("is the record itself"));
  EXPECT_EQ(text_of("run.mcap"), before);
}

TEST_F(Export, AFullDeviceIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";

  const Ran ran = run_kinloop({"export", path("run.mcap"), "--csv", "-o", "/dev/full"});

  EXPECT_EQ(ran.code, console::kInternalError);
  EXPECT_THAT(ran.err, HasSubstr("No space left"));
}

}  // namespace
}  // namespace kinloop::cli

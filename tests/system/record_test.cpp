// Tests the verb record against a running plant: what was written is told, however it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/system/running_rig.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class RecordTest : public TemporaryFolder {
 protected:
  void TearDown() override {
    ::unsetenv("KINLOOP_RUNTIME_DIR");  // NOLINT: one thread
    TemporaryFolder::TearDown();
  }
};

TEST_F(RecordTest, CtrlCEndsItWithWhatWasWritten) {
  RunningRig rig(folder_ / "1", "real_time", "watchdog: {timeout: 20 s}\n", {});
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string name = "swing" + std::to_string(signal) + ".mcap";
    Process record({"record", name});
    ASSERT_THAT(record.read_error_line(), HasSubstr(name + "; Ctrl-C ends it"));
    const std::uint64_t begun = rig.memory().heartbeat.iterations.load();
    ASSERT_TRUE(comes([&] { return rig.memory().heartbeat.iterations.load() > begun + 200; }));

    record.send(signal);

    EXPECT_THAT(record.read_output(), MatchesRegex(".*/" + name + ": [1-9][0-9]* steps\n"));
    EXPECT_EQ(record.read_errors(), "");
    EXPECT_EQ(record.wait(), 0);
    Process replay({"replay", (rig.directory() / name).string()});
    EXPECT_THAT(replay.read_output(), HasSubstr("steps"));
    EXPECT_EQ(replay.wait(), 0) << replay.read_errors();
  }
  EXPECT_EQ(rig.end(), 0);
}

}  // namespace
}  // namespace kinloop

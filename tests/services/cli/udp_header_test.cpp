// Tests the verb: which adapter it takes, where the header goes.
#include "services/cli/udp_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "services/base/text_file.hpp"
#include "services/console/exit_code.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class UdpHeaderVerbTest : public TemporaryFolder {
 protected:
  /// A rig with these adapters; its file.
  std::string rig_with(const std::string& adapters) const {
    write("rig.yaml",
          "kinloop_rig: 1\nmodel: \"" + test::config_path("pendulum").string() +
              "\"\nrate: 1 kHz\nactuators: [{name: motor, joint: pin, kind: force, command: {max_age: none}}]\n" +
              adapters);
    return (folder_ / "rig.yaml").string();
  }
  int run(const UdpHeaderOptions& options) {
    out_.str("");
    err_.str("");
    return run_udp_header(options, console::Console{out_, err_});
  }

  std::ostringstream out_, err_;
};

constexpr const char* kThree =
    "adapters:\n"
    "  - {kind: playback, file: a.csv}\n"
    "  - {kind: udp, port: 9501, reply: true}\n"
    "  - {kind: udp, port: 9502, reply: true}\n";

TEST_F(UdpHeaderVerbTest, TheOnlyOneIsTaken) {
  EXPECT_EQ(run({test::rig_path("cart_pole_udp").string(), std::nullopt, "-"}), console::kDone);

  EXPECT_THAT(out_.str(), StartsWith("/* Frames of adapters[0] of the rig cart_pole_udp"));
  EXPECT_THAT(out_.str(), HasSubstr("#define KINLOOP_UDP_PORT 9500"));
}

TEST_F(UdpHeaderVerbTest, OfSeveralOneMustBeNamed) {
  const std::string rig = rig_with(kThree);

  EXPECT_EQ(run({rig, std::nullopt, "-"}), console::kBadInput);
  EXPECT_THAT(err_.str(), HasSubstr("several adapters are of kind udp: say which with --adapter (1, 2)"));
  EXPECT_EQ(run({rig, 0, "-"}), console::kBadInput);
  EXPECT_THAT(err_.str(), HasSubstr("is no adapter of kind udp; those are: 1, 2"));
  EXPECT_EQ(run({rig, 2, "-"}), console::kDone);
  EXPECT_THAT(out_.str(), HasSubstr("#define KINLOOP_UDP_PORT 9502"));
}

TEST_F(UdpHeaderVerbTest, ARigWithoutOneIsToldSo) {
  EXPECT_EQ(run({rig_with(""), std::nullopt, "-"}), console::kBadInput);
  EXPECT_THAT(err_.str(), HasSubstr("the rig has no adapter of kind udp"));
}

TEST_F(UdpHeaderVerbTest, TheFileHoldsWhatStandardOutputWould) {
  const std::string rig = test::rig_path("cart_pole_udp").string();
  ASSERT_EQ(run({rig, std::nullopt, "-"}), console::kDone);
  const std::string shown = out_.str();

  ASSERT_EQ(run({rig, std::nullopt, (folder_ / "plant.h").string()}), console::kDone);

  constexpr std::size_t kMaxBytes = 1 << 20;
  EXPECT_EQ(read_text_file(folder_ / "plant.h", kMaxBytes).value(), shown);
  EXPECT_EQ(run({rig, std::nullopt, (folder_ / "nowhere/plant.h").string()}), console::kBadInput);
}

}  // namespace
}  // namespace kinloop::cli

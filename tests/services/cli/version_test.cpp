// Tests what a build says of itself.
#include "services/cli/version.hpp"

#include <gmock/gmock.h>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"

namespace kinloop::cli {
namespace {

TEST(Version, EveryLibraryHasOne) {
  const Ran ran = run_kinloop({"version"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("protobuf "));
  EXPECT_THAT(ran.out, testing::Not(testing::HasSubstr(" ,"))) << "a name without a version";
}

}  // namespace
}  // namespace kinloop::cli

// Tests that the tree keeps the include table of the architecture, and that a breach would be seen.
#include "tests/architecture/include_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::architecture {

// Found by googletest, hence outside the unnamed namespace.
void PrintTo(const Violation& violation, std::ostream* out) { *out << violation.place << ": " << violation.what; }

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto breach(const std::string& place, const std::string& target) {
  return ::testing::AllOf(Field(&Violation::place, place), Field(&Violation::what, HasSubstr(target)));
}

// A source tree of made-up files, gone at the end of the test.
class IncludeRules : public TemporaryFolder {};

TEST(Architecture, TheTreeKeepsTheIncludeTable) {
  EXPECT_GE(count_checked_files(KINLOOP_SOURCE_DIR), 5);
  EXPECT_THAT(check_includes(KINLOOP_SOURCE_DIR), IsEmpty());
}

TEST_F(IncludeRules, AllowsWhatTheTableLists) {
  write("core/a.hpp", "#include <Eigen/Core>\n#include <vector>\n#include \"core/b.hpp\"\n");
  write("rt/loop/loop.cpp",
        "#include <pthread.h>\n#include <sys/mman.h>\n#include <xxhash.h>\n#include \"core/a.hpp\"\n");
  write("services/cli/main.cpp",
        "#include <CLI/CLI.hpp>\n#include \"rt/loop/loop.hpp\"\n#include \"proto/kinloop.pb.h\"\n");
  write("tests/core/a_test.cpp", "#include <gtest/gtest.h>\n#include \"tests/support/b.hpp\"\n");

  EXPECT_THAT(check_includes(folder_), IsEmpty());
}

TEST_F(IncludeRules, ReportsFileAndLine) {
  write("core/model/model.cpp", "// Owns nothing.\n\n#include \"services/files/loader.hpp\"\n");

  EXPECT_THAT(check_includes(folder_), ElementsAre(breach("core/model/model.cpp:3", "services/files/loader.hpp")));
}

TEST_F(IncludeRules, KeepsThirdPartiesAndPosixOutOfCore) {
  write("core/a.cpp", "#include <spdlog/spdlog.h>\n#include <unistd.h>\n#include \"helper.hpp\"\n");

  EXPECT_THAT(check_includes(folder_), ElementsAre(breach("core/a.cpp:1", "spdlog"), breach("core/a.cpp:2", "unistd.h"),
                                                   breach("core/a.cpp:3", "helper.hpp")));
}

TEST_F(IncludeRules, KeepsThreadsClocksFilesAndLogsOutOfCore) {
  write("core/a.cpp", "#include <thread>\n#include <chrono>\n#include <fstream>\n#include <iostream>\n");

  EXPECT_THAT(check_includes(folder_),
              ElementsAre(breach("core/a.cpp:1", "thread"), breach("core/a.cpp:2", "chrono"),
                          breach("core/a.cpp:3", "fstream"), breach("core/a.cpp:4", "iostream")));
}

TEST_F(IncludeRules, KeepsProtoAndThirdPartiesOutOfRt) {
  write("rt/a.cpp", "#include \"proto/kinloop.pb.h\"\n#include <zmq.h>\n#include \"services/a.hpp\"\n");

  EXPECT_THAT(check_includes(folder_), ElementsAre(breach("rt/a.cpp:1", "proto"), breach("rt/a.cpp:2", "zmq.h"),
                                                   breach("rt/a.cpp:3", "services/a.hpp")));
}

TEST_F(IncludeRules, KeepsTestsAndBenchOutOfTheProduct) {
  write("core/a.cpp", "#include \"bench/a.hpp\"\n");
  write("rt/a.cpp", "#include \"tests/support/a.hpp\"\n");
  write("services/a.cpp", "#include \"tests/support/a.hpp\"\n#include <bench/a.hpp>\n");

  EXPECT_THAT(check_includes(folder_),
              ElementsAre(breach("core/a.cpp:1", "bench"), breach("rt/a.cpp:1", "tests"),
                          breach("services/a.cpp:1", "tests"), breach("services/a.cpp:2", "bench")));
}

TEST_F(IncludeRules, KeepsFoldersInOneDirection) {
  write("core/model/model.cpp", "#include \"core/dynamics/forward_dynamics.hpp\"\n#include \"core/base/at.hpp\"\n");
  write("rt/policies/watchdog.cpp", "#include \"rt/loop/loop.hpp\"\n#include \"core/analysis/modes.hpp\"\n");
  write("services/io/io.cpp", "#include \"services/cli/run.hpp\"\n#include \"services/wire/hash.hpp\"\n");

  EXPECT_THAT(check_includes(folder_),
              ElementsAre(breach("core/model/model.cpp:1", "core/dynamics/forward_dynamics.hpp"),
                          breach("rt/policies/watchdog.cpp:1", "rt/loop/loop.hpp"),
                          breach("services/io/io.cpp:1", "services/cli/run.hpp")));
}

TEST_F(IncludeRules, KnowsEveryFolder) {
  write("core/elsewhere/a.cpp", "#include \"core/base/at.hpp\"\n");
  write("core/model/model.cpp", "#include \"core/elsewhere/a.hpp\"\n");

  EXPECT_THAT(check_includes(folder_),
              ElementsAre(breach("core/elsewhere/a.cpp:1", "no layer"), breach("core/model/model.cpp:1", "elsewhere")));
}

TEST_F(IncludeRules, SeesThroughSpacingRelativePathsAndMacros) {
  write("core/a.cpp", "  #  include<zmq.h>\n#include \"../services/a.hpp\"\n#include HEADER\n");

  EXPECT_THAT(check_includes(folder_), ElementsAre(breach("core/a.cpp:1", "zmq.h"), breach("core/a.cpp:2", "relative"),
                                                   breach("core/a.cpp:3", "macro")));
}

TEST_F(IncludeRules, ReadsHeadersOfEveryDepth) {
  write("core/x/y/z/deep.hpp", "#include <zmq.h>\n");

  EXPECT_THAT(check_includes(folder_), ElementsAre(breach("core/x/y/z/deep.hpp:1", "zmq.h")));
}

}  // namespace
}  // namespace kinloop::architecture

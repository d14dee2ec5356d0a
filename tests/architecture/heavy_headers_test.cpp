// Tests that headers which take seconds to parse do not spread: what may include them is counted here.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

struct HeavyHeader {
  const char* what;
  const char* include;  // as a regular expression
  const char* ending;   // of the files that are counted
  int max_files;
};

/// A header that includes one makes everything above it heavy, so headers are counted by themselves. Lower a number
/// when it falls; raise one only with a measurement in docs/building.md.
const std::vector<HeavyHeader> kHeavyHeaders = {
    {"CLI11, 3.9 s", R"(#include <CLI/)", ".cpp", 25},
    {"CLI11 in headers", R"(#include <CLI/)", ".hpp", 0},
    {"Boost, 4.8 s", R"(#include <boost/)", ".cpp", 4},
    {"Boost in headers", R"(#include <boost/)", ".hpp", 5},
    {"nlohmann, 1.5 s", R"(#include <nlohmann/json\.hpp>)", ".cpp", 12},
    {"nlohmann in headers", R"(#include <nlohmann/json\.hpp>)", ".hpp", 0},
    {"sdformat, 2 s", R"(#include <sdf/)", ".cpp", 3},
    {"sdformat in headers", R"(#include <sdf/)", ".hpp", 3},
    {"pybind11, 2 s", R"(#include <pybind11/)", ".cpp", 6},
    {"pybind11 in headers", R"(#include <pybind11/)", ".hpp", 2},
    {"spdlog in headers", R"(#include <spdlog/)", ".hpp", 0},
    {"messages in headers, 3 s", R"(#include [<"][^>"]*\.pb\.h[>"])", ".hpp", 42},
    {"Eigen's decompositions in headers", R"(#include <Eigen/(Dense|SVD|QR|LU|Eigenvalues|Cholesky|Sparse))", ".hpp",
     0},
};

TEST(HeavyHeaders, DoNotSpread) {
  for (const HeavyHeader& heavy : kHeavyHeaders) {
    const std::regex include(heavy.include);
    std::vector<std::string> found;
    for (const char* folder : {"core", "rt", "services"}) {
      for (const auto& file : tree_files(folder, heavy.ending)) {
        if (std::regex_search(text_of_file(file), include)) found.push_back(file.string());
      }
    }
    EXPECT_LE(static_cast<int>(found.size()), heavy.max_files) << heavy.what << ": " << testing::PrintToString(found);
  }
}

/// Each of more than a thousand tests starts its program: 0.13 s of it went into patterns of a library, compiled by
/// std::regex as these programs have it. tests/support/pattern.hpp does instead.
TEST(HeavyHeaders, TestsThatAreNotOptimisedLeaveRegularExpressionsAlone) {
  for (const char* folder : {"tests/services", "tests/system", "tests/support"}) {
    for (const auto& file : tree_files(folder, "pp")) {
      EXPECT_EQ(text_of_file(file).find("#include <regex>"), std::string::npos) << file;
    }
  }
}

}  // namespace
}  // namespace kinloop::architecture

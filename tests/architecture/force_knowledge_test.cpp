// Tests that a new kind of force element is one file and one entry: nobody else in core lists the kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

// What is about one kind alone: the tension of a rope that a sensor shows and its derivative, one-sided elements that
// stand right on the edge between their branches, and what each kind dissipates, under its own name.
const std::set<std::string> kAboutOneKind = {"core/analysis/branch_warnings.cpp", "core/analysis/signal_slopes.cpp",
                                             "core/integrators/energy_account.cpp", "core/plant/sense.cpp"};

TEST(ForceKnowledge, StandsInTheTableOfForceElements) {
  const std::regex elements(R"(\.(springs|bushings|ropes|contact_points|loaded_speeds)\(\))");
  std::set<std::string> found;
  for (const char* ending : {".cpp", ".hpp"}) {
    for (const std::filesystem::path& file : tree_files("core", ending)) {
      const std::string name = file.lexically_relative(KINLOOP_SOURCE_DIR).generic_string();
      if (name.starts_with("core/forces/") || name.starts_with("core/model/")) continue;
      if (std::regex_search(text_of_file(file), elements)) found.insert(name);
    }
  }

  EXPECT_EQ(found, kAboutOneKind);
}

TEST(ForceKnowledge, IsSummedByTheTableAlone) {
  const std::regex elements(R"(\.(springs|bushings|ropes|contact_points|loaded_speeds)\(\))");
  for (const char* file : {"core/forces/loads.cpp", "core/forces/force_tangent.cpp", "core/forces/local_tangent.cpp",
                           "core/forces/dissipation.cpp"}) {
    const std::string text = text_of_file(std::filesystem::path(KINLOOP_SOURCE_DIR) / file);
    EXPECT_FALSE(text.empty()) << file;
    EXPECT_FALSE(std::regex_search(text, elements)) << file;
  }
}

}  // namespace
}  // namespace kinloop::architecture

// Tests that every scenario of configs/rigs says what it does: an instructor chooses by that.
#include <gtest/gtest.h>

#include <filesystem>

#include "services/rig/rig_file.hpp"
#include "tests/support/error_text.hpp"

namespace kinloop {
namespace {

TEST(Scenarios, OfOurRigsAreAllExplained) {
  int scenarios = 0;

  for (const auto& entry : std::filesystem::directory_iterator(KINLOOP_SOURCE_DIR "/configs/rigs")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto rig = load_rig(entry.path());
    ASSERT_TRUE(rig) << to_text(rig.error());
    for (const ScenarioSpec& scenario : rig->spec.panel.scenarios) {
      EXPECT_FALSE(scenario.notes.empty()) << entry.path() << ": " << scenario.name;
      ++scenarios;
    }
  }

  EXPECT_GE(scenarios, 12);
}

}  // namespace
}  // namespace kinloop

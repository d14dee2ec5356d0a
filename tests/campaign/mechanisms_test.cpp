// Tests the mechanisms of the sweep: closed, repeatable, and the same when they are read from a file.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "services/files/model_file.hpp"
#include "tests/adversary/draw.hpp"
#include "tests/adversary/families.hpp"
#include "tests/adversary/model_text.hpp"
#include "tests/adversary/reference.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop::adversary {
namespace {

TEST(Mechanisms, AreClosedInPositionsAndVelocities) {
  constexpr double kClosed = 1e-9;  // 16 digits of a frame 100 m away, seen from a link of 1 mm
  for (const Family& family : families()) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Draw draw = draw_mechanism(seed, family.name);

      const Openness open = openness_of(draw.spec, Topology(draw.spec), initial_situation(draw.spec));

      EXPECT_LT(static_cast<double>(open.error), kClosed) << draw.spec.name;
      EXPECT_LT(static_cast<double>(open.rate), kClosed) << draw.spec.name;
    }
  }
}

TEST(Mechanisms, AreTheSameForTheSameSeed) {
  EXPECT_EQ(model_text(draw_mechanism(7).spec), model_text(draw_mechanism(7).spec));
  EXPECT_NE(model_text(draw_mechanism(7).spec), model_text(draw_mechanism(8).spec));
}

TEST(Mechanisms, AreOfAllFamiliesFromAMillionOn) {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1'000'000; seed < 1'000'060; ++seed) drawn.insert(draw_mechanism(seed).family);

  EXPECT_EQ(drawn.size(), families().size());
}

TEST(Mechanisms, AreReadBackFromTheFilesTheyAreWrittenTo) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Draw draw = draw_mechanism(seed);

    const auto read = read_model_text(model_text(draw.spec), "drawn.yaml");

    ASSERT_TRUE(read) << draw.spec.name << ": " << read.error().front().what;
    const auto vdot_of = [](const ModelSpec& spec) {
      return solve_reference(spec, Topology(spec), initial_situation(spec)).vdot;
    };
    EXPECT_EQ(vdot_of(*read), vdot_of(draw.spec)) << draw.spec.name;
  }
}

}  // namespace
}  // namespace kinloop::adversary

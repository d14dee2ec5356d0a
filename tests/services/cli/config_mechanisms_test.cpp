// Tests that every model in configs/models is what docs/mechanisms.md says: closed at the start, with these dofs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "services/base/diagnostics.hpp"
#include "services/cli/check_report.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop::cli {
namespace {

constexpr double kClosed = 1e-9;  // m or rad

struct Mechanism {
  std::string name;
  int loops;  // closing joints
  int rows;   // their constraints
  int rank;   // of these
  int driven;
  int mobility;
};
void PrintTo(const Mechanism& mechanism, std::ostream* out) { *out << mechanism.name; }

const Mechanism kMechanisms[] = {
    {"andrews_squeezer", 3, 15, 6, 0, 1},
    {"arm7", 0, 0, 0, 0, 7},
    {"bricard", 1, 5, 4, 0, 1},
    {"cam_follower", 1, 5, 2, 1, 0},
    {"cam_follower_open", 0, 0, 0, 1, 2},
    {"cart_pole", 0, 0, 0, 0, 2},
    {"demo", 0, 0, 0, 1, 4},
    {"double_pendulum", 0, 0, 0, 0, 2},
    {"double_wishbone", 2, 6, 6, 0, 2},
    {"excavator", 4, 20, 8, 0, 4},
    {"five_bar", 1, 5, 2, 0, 2},
    {"floating_tree", 0, 0, 0, 0, 13},
    {"flyball_governor", 0, 0, 0, 0, 4},
    {"four_bar", 1, 5, 2, 0, 1},
    {"knuckle_boom_crane", 3, 15, 6, 0, 12},
    {"n_four_bar", 5, 25, 10, 0, 1},
    {"pendulum", 0, 0, 0, 0, 1},
    {"quick_return", 2, 10, 4, 0, 1},
    {"slider_crank", 1, 5, 2, 0, 1},
    {"stewart_platform", 6, 18, 18, 0, 6},
};

TEST(ConfigMechanisms, AreAllInTheTable) {
  std::vector<std::string> table;
  for (const Mechanism& mechanism : kMechanisms) table.push_back(mechanism.name);

  EXPECT_EQ(test::config_names(), table);
}

class ConfigMechanism : public testing::TestWithParam<Mechanism> {};

TEST_P(ConfigMechanism, IsClosedAtTheStartAndHasItsFreedoms) {
  const auto file = compile_model_file(test::config_path(GetParam().name));
  ASSERT_TRUE(file) << to_text(file.error());
  const Model& model = file->model;

  const CheckReport report = check_model(model);

  EXPECT_EQ(static_cast<int>(model.loops().size()), GetParam().loops);
  EXPECT_EQ(report.constraint_rows, GetParam().rows);
  EXPECT_EQ(report.rank.rank, GetParam().rank);
  EXPECT_EQ(report.driven, GetParam().driven);
  EXPECT_EQ(report.mobility, GetParam().mobility);
  for (const LoopGap& gap : report.gaps) {
    EXPECT_LT(gap.distance_m, kClosed);
    EXPECT_LT(gap.angle_rad, kClosed);
  }
  const double speed = std::max(1.0, model.nv() > 0 ? model.initial_v().cwiseAbs().maxCoeff() : 0.0);
  EXPECT_LT(report.largest_speed_error, kClosed * speed);
  for (const CoordinateConstants& c : model.coordinates()) {
    if (!c.limited) continue;
    EXPECT_GE(model.initial_q()[c.q], c.lower) << "starts beyond its end stop";
    EXPECT_LE(model.initial_q()[c.q], c.upper) << "starts beyond its end stop";
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConfigMechanism, testing::ValuesIn(kMechanisms),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace kinloop::cli

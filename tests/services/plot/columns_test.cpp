// Tests which columns a request means, and what they are said to be.
#include "services/plot/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/files/load_model.hpp"

namespace kinloop::plot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kColumns = {"t", "q.luff", "q.a,b", "u.luff", "kinetic_J", "potential_J"};

TEST(SelectColumns, TakesNamesAndPatternsInTheOrderAskedFor) {
  EXPECT_THAT(select_columns(kColumns, "--columns", "*_J,q.luff, kinetic_J").value(), ElementsAre(4, 5, 1));
  EXPECT_THAT(select_columns(kColumns, "--columns", "?.luff").value(), ElementsAre(1, 3));
  EXPECT_THAT(select_columns(kColumns, "--columns", "*").value(), ElementsAre(1, 2, 3, 4, 5));
}

TEST(SelectColumns, AnUnknownNameBringsTheNearOnes) {
  EXPECT_THAT(select_columns(kColumns, "--columns", "luff").error().what,
              HasSubstr("did you mean 'q.luff' or 'u.luff'?"));
  EXPECT_THAT(select_columns(kColumns, "--columns", "kintic_J").error().what, HasSubstr("did you mean 'kinetic_J'?"));
  EXPECT_THAT(select_columns(kColumns, "--columns", "x*").error().what, HasSubstr("no column matches 'x*'"));
  EXPECT_THAT(select_columns(kColumns, "--columns", "q.luff,").error().what, HasSubstr("empty"));
}

TEST(ColumnPair, NamesMayHoldCommas) {
  EXPECT_THAT(column_pair(kColumns, "--phase", "q.luff,u.luff").value(), ElementsAre(1, 3));
  EXPECT_THAT(column_pair(kColumns, "--phase", "q.a,b,u.luff").value(), ElementsAre(2, 3));
  EXPECT_THAT(column_pair(kColumns, "--phase", "q.luff").error().what, HasSubstr("two columns"));
  EXPECT_THAT(column_pair(kColumns, "--phase", "q.luff,u.lufff").error().what, HasSubstr("'u.luff'"));
}

TEST(DefaultColumns, AreTheCoordinatesOrAllButTheTime) {
  EXPECT_THAT(default_columns(kColumns), ElementsAre(1, 2));
  EXPECT_THAT(default_columns(std::vector<std::string>{"t", "x"}), ElementsAre(1));
  EXPECT_THAT(default_columns(std::vector<std::string>{"t", "step", "flags", "sensor.x"}), ElementsAre(3));
}

TEST(Meanings, AModelTellsAnglesFromLengths) {
  const auto loaded = load_model(KINLOOP_SOURCE_DIR "/configs/models/demo.yaml");
  ASSERT_TRUE(loaded.has_value());
  const std::vector<std::string> columns = {"q.luff", "q.travel", "u.travel", "u.luff", "drive.slew", "kinetic_J"};

  std::vector<std::string> labels;
  for (const ColumnMeaning& meaning : meanings_of(columns, std::vector<int>{0, 1, 2, 3, 4, 5}, &loaded->model)) {
    labels.push_back(meaning.name + " " + axis_label(meaning.quantity, meaning.unit));
  }

  EXPECT_THAT(labels, ElementsAre("luff angle (rad)", "travel position (m)", "travel speed (m/s)",
                                  "luff angular speed (rad/s)", "slew torque (N m)", "kinetic energy (J)"));
}

TEST(Meanings, WithoutAModelBothUnitsAreNamed) {
  const auto meanings = meanings_of(kColumns, std::vector<int>{1, 4}, nullptr);

  EXPECT_EQ(axis_label(meanings[0].quantity, meanings[0].unit), "coordinate (rad, m)");
  EXPECT_EQ(axis_label(meanings[1].quantity, meanings[1].unit), "energy (J)");
}

TEST(MatchModel, ReportsWhatIsMissingAndWhatIsForeign) {
  const auto loaded = load_model(KINLOOP_SOURCE_DIR "/configs/models/double_pendulum.yaml");
  ASSERT_TRUE(loaded.has_value());

  EXPECT_THAT(match_model(std::vector<std::string>{"t", "q.j2", "q.j1"}, "a.csv", loaded->model, "m.yaml").value(),
              ElementsAre(2, 1));
  const auto wrong = match_model(std::vector<std::string>{"t", "q.j1", "q.x"}, "a.csv", loaded->model, "m.yaml");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error(), ElementsAre(Error{"a.csv:1", "has no column 'q.j2', a coordinate of m.yaml"},
                                         Error{"a.csv:1", "column 'q.x' is no coordinate of m.yaml"}));
}

}  // namespace
}  // namespace kinloop::plot

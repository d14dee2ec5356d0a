// Tests that inputs and frames meet in one row a step, however they are mixed.
#include "services/record/step_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/record/sample_record.hpp"

namespace kinloop::record {
namespace {

using testing::ElementsAre;

/// "step:commands/sensors" of all rows that are ready.
std::vector<std::string> rows_of(StepRows& rows) {
  std::vector<std::string> texts;
  while (const auto row = rows.take()) {
    texts.push_back(std::to_string(row->step) + ":" + std::to_string(row->commands.size()) + "/" +
                    std::to_string(row->sensors.size()));
  }
  return texts;
}

TEST(StepRows, HalvesMeetWhicheverComesFirst) {
  StepRows rows;

  for (const std::uint64_t step : {1, 2, 3}) rows.add(sample_input(step));
  EXPECT_TRUE(rows_of(rows).empty());
  for (const std::uint64_t step : {1, 2, 3, 4}) rows.add(sample_frame(step));
  EXPECT_THAT(rows_of(rows), ElementsAre("1:1/2", "2:1/2", "3:1/2"));
  rows.add(sample_input(4));

  EXPECT_THAT(rows_of(rows), ElementsAre("4:1/2"));
}

TEST(StepRows, AMissingHalfIsLeftOutAtTheEnd) {
  StepRows rows;
  rows.add(sample_input(1));
  rows.add(sample_frame(2));

  rows.finish();

  EXPECT_THAT(rows_of(rows), ElementsAre("1:1/0", "2:0/2"));
}

TEST(StepRows, StepsThatWereSetBackAreRowsOfTheirOwn) {
  StepRows rows;

  for (const std::uint64_t step : {5, 6, 5, 6}) rows.add(sample_input(step));
  for (const std::uint64_t step : {5, 6, 5, 6}) rows.add(sample_frame(step));

  EXPECT_THAT(rows_of(rows), ElementsAre("5:1/2", "6:1/2", "5:1/2", "6:1/2"));
}

TEST(StepRows, ARowWithoutItsOtherHalfWaitsForABoundedNumberOfOthers) {
  StepRows rows;

  for (std::uint64_t step = 1; step <= StepRows::kMaxWaiting + 10; ++step) rows.add(sample_input(step));

  EXPECT_EQ(rows_of(rows).size(), 10U);
}

}  // namespace
}  // namespace kinloop::record

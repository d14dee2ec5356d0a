// Tests the reading of a CSV, and the place that each of its faults is reported at.
#include "services/plot/csv_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace kinloop::plot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// All rows of the wanted columns, or the first error.
Result<std::vector<std::vector<double>>> read_all(const std::string& text, const std::vector<int>& wanted) {
  std::istringstream in(text);
  auto reader = CsvReader::open(in, "run.csv");
  if (!reader) return reader.error();
  reader->want(wanted);
  std::vector<std::vector<double>> rows;
  for (;;) {
    const auto more = reader->next();
    if (!more) return more.error();
    if (!*more) return rows;
    rows.emplace_back(reader->values().begin(), reader->values().end());
  }
}

Error error_of(const std::string& text, const std::vector<int>& wanted = {0, 1}) {
  const auto rows = read_all(text, wanted);
  EXPECT_FALSE(rows.has_value());
  return rows ? Error{} : rows.error();
}

TEST(CsvReader, ReadsTheWantedColumns) {
  const auto rows = read_all("t,a,b\n0,1,2.5\n0.1,-1e-3,7\n", {0, 2});

  ASSERT_TRUE(rows.has_value());
  EXPECT_THAT(rows.value(), ElementsAre(ElementsAre(0.0, 2.5), ElementsAre(0.1, 7.0)));
}

TEST(CsvReader, UnderstandsWhatOtherProgramsWrite) {
  const auto rows = read_all("\xEF\xBB\xBFt, \"a,\"\"b\"\"\"\r\n+1 ,\t2\r\n\r\n \"3\",4", {0, 1});

  ASSERT_TRUE(rows.has_value());
  EXPECT_THAT(rows.value(), ElementsAre(ElementsAre(1.0, 2.0), ElementsAre(3.0, 4.0)));
  std::istringstream in("t,\"a,\"\"b\"\"\"\n");
  EXPECT_THAT(CsvReader::open(in, "x")->columns(), ElementsAre("t", "a,\"b\""));
}

TEST(CsvReader, WhatIsNoNumberOnPurposeIsNaN) {
  const auto rows = read_all("t,a\n0,nan\n1,-inf\n2,\n3,NA\n4,1e999\n5,1e-999\n", {1});

  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 6U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(std::isnan((*rows)[i][0])) << i;
  EXPECT_EQ((*rows)[5][0], 0.0);
}

TEST(CsvReader, LinesLongerThanItsBufferAreRead) {
  std::string text = "t";
  for (int i = 0; i < 20000; ++i) text += ",c" + std::to_string(i);
  text += "\n0";
  for (int i = 0; i < 20000; ++i) text += "," + std::to_string(i) + ".125";

  const auto rows = read_all(text + "\n", {0, 20000});

  ASSERT_TRUE(rows.has_value());
  EXPECT_THAT(rows.value(), ElementsAre(ElementsAre(0.0, 19999.125)));
}

TEST(CsvReader, AnEmptyFileIsSaidToBeEmpty) {
  EXPECT_EQ(error_of(""), (Error{"run.csv", "the file is empty"}));
  EXPECT_EQ(error_of("\n\n"), (Error{"run.csv", "the file is empty"}));
}

TEST(CsvReader, ARaggedRowIsNamedByItsLine) {
  const Error shorter = error_of("t,a\n0,1\n\n1\n");
  EXPECT_EQ(shorter.where, "run.csv:4");
  EXPECT_EQ(shorter.what, "the row has 1 cell, the header 2 cells");
  EXPECT_EQ(error_of("t,a\n0,1,2\n").where, "run.csv:2");
}

TEST(CsvReader, TextInPlaceOfANumberIsNamedByLineAndColumn) {
  const Error error = error_of("t,q.a\n0,1\n1,0x7\n");

  EXPECT_EQ(error.where, "run.csv:3");
  EXPECT_EQ(error.what, "column 'q.a': '0x7' is not a number");
}

TEST(CsvReader, ColumnsThatNobodyWantsMayHoldText) { EXPECT_TRUE(read_all("t,note\n0,hello\n", {0}).has_value()); }

TEST(CsvReader, AColumnNamedTwiceIsRefused) { EXPECT_THAT(error_of("t,a,a\n").what, HasSubstr("'a' twice")); }

TEST(CsvReader, AnOpenQuoteInTheHeaderIsRefused) {
  EXPECT_THAT(error_of("t,\"a\n0,1\n").what, HasSubstr("never closed"));
}

}  // namespace
}  // namespace kinloop::plot

// Owns the reading of a CSV of numbers, row by row, whatever its length.
#pragma once

#include <cstddef>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop::plot {

/// One header line, then rows of numbers. Errors name file and line; blank lines are skipped, cells that are empty or
/// say nan or inf are read as NaN. The stream must outlive the reader.
class CsvReader {
 public:
  /// Reads the header. `file_name` is for messages.
  static Result<CsvReader> open(std::istream& in, std::string file_name);

  const std::vector<std::string>& columns() const noexcept { return columns_; }
  const std::string& file_name() const noexcept { return file_name_; }
  /// Of the row read last, from 1.
  long long line() const noexcept { return line_; }
  /// "file:line", for errors about the header or the row read last.
  std::string place() const { return file_name_ + ":" + std::to_string(line_); }

  /// Position of a column, or -1.
  int find(std::string_view column) const noexcept;

  /// Which cells next() converts; others are not looked at. Positions are valid and increase.
  void want(std::vector<int> columns);
  /// Reads a row; false at the end of the file.
  Result<bool> next();
  /// What next() read, one number per wanted column.
  std::span<const double> values() const noexcept { return values_; }

 private:
  CsvReader(std::istream& in, std::string file_name) : in_(&in), file_name_(std::move(file_name)) {}

  enum class Got { kLine, kEnd, kTooLong, kFailed };
  Got read_line();
  Error fault(Got got) const;
  Result<bool> read_header();
  Result<bool> read_row();
  Result<double> number(std::string_view cell, std::size_t column) const;

  std::istream* in_;
  std::string file_name_;
  long long line_ = 0;
  std::string buffer_;  // read, not yet handed out: from start_
  std::size_t start_ = 0;
  std::string text_;  // the current line
  std::vector<std::string> columns_;
  std::vector<int> wanted_;
  std::vector<double> values_;
};

}  // namespace kinloop::plot

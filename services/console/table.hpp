// Owns Table: rows of text in aligned columns.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace kinloop::console {

enum class Align { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Missing cells are empty; `note` follows the last column and is not aligned.
  void add(std::vector<std::string> cells, std::string note = "");
  void print(std::ostream& out) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string note;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// printf's text of one number.
std::string formatted(const char* format, double value);

/// "1.234e-05", short enough for a table; "0" for zero.
std::string short_number(double value);

/// Plain and readable: "0.25", "12", "1.5e+06".
std::string plain_number(double value);

/// The shortest text that reads back as the same number.
std::string exact_number(double value);

}  // namespace kinloop::console

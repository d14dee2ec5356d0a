// Measures the columns, then prints.
#include "services/console/table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ostream>
#include <utility>

#include "services/base/utf8.hpp"

namespace kinloop::console {
std::string formatted(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

void Table::add(std::vector<std::string> cells, std::string note) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::move(note)});
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  Row head;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    head.cells.push_back(columns_[c].title);
    widths.push_back(character_count(columns_[c].title));
    for (const Row& row : rows_) widths[c] = std::max(widths[c], character_count(row.cells[c]));
  }
  const auto print_row = [&](const Row& row) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string padding(widths[c] - character_count(row.cells[c]), ' ');
      line +=
          (c > 0 ? "  " : "") + (columns_[c].align == Align::kLeft ? row.cells[c] + padding : padding + row.cells[c]);
    }
    if (!row.note.empty()) line += "  " + row.note;
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  };
  print_row(head);
  for (const Row& row : rows_) print_row(row);
}

std::string short_number(double value) { return value == 0.0 ? "0" : formatted("%.1e", value); }

std::string plain_number(double value) { return formatted("%.6g", value); }

std::string exact_number(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace kinloop::console

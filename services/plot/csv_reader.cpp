// Splits lines and cells by hand: a million rows should take no longer than reading the file.
#include "services/plot/csv_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/base/nearest_name.hpp"
#include "services/base/trimmed.hpp"

namespace kinloop::plot {
namespace {

constexpr std::size_t kChunk = 1U << 16U;
constexpr std::size_t kLongestLine = 1U << 24U;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kBlanks = " \t";

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Takes the next cell off the front of `rest`; `more` says whether a comma followed. Quotes protect commas and double
/// to stand for themselves.
std::string_view take_cell(std::string_view& rest, bool& more) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (quoted || rest[end] != ','); ++end) {
    if (rest[end] == '"') quoted = !quoted;
  }
  const std::string_view cell = rest.substr(0, end);
  more = end < rest.size();
  rest = more ? rest.substr(end + 1) : std::string_view{};
  return trimmed(cell, kBlanks);
}

std::string without_quotes(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"' && i + 2 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return text;
}

bool has_open_quote(std::string_view text) { return std::count(text.begin(), text.end(), '"') % 2 != 0; }

std::string counted_cells(std::size_t count) { return std::to_string(count) + (count == 1 ? " cell" : " cells"); }

}  // namespace

Result<CsvReader> CsvReader::open(std::istream& in, std::string file_name) {
  CsvReader reader(in, std::move(file_name));
  const Result<bool> header = reader.read_header();
  if (!header) return header.error();
  return reader;
}

int CsvReader::find(std::string_view column) const noexcept {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

void CsvReader::want(std::vector<int> columns) {
  require(std::is_sorted(columns.begin(), columns.end()), "wanted columns are in order");
  wanted_ = std::move(columns);
  values_.assign(wanted_.size(), kNaN);
}

CsvReader::Got CsvReader::read_line() {
  text_.clear();
  for (;;) {
    const std::size_t end = buffer_.find('\n', start_);
    const bool found = end != std::string::npos;
    text_.append(buffer_, start_, found ? end - start_ : std::string::npos);
    if (text_.size() > kLongestLine) return Got::kTooLong;
    if (found) {
      start_ = end + 1;
      break;
    }
    buffer_.resize(kChunk);
    in_->read(buffer_.data(), static_cast<std::streamsize>(kChunk));
    buffer_.resize(static_cast<std::size_t>(in_->gcount()));
    start_ = 0;
    if (in_->bad()) return Got::kFailed;
    if (!buffer_.empty()) continue;
    if (text_.empty()) return Got::kEnd;
    break;  // a last line without its line break
  }
  ++line_;
  if (text_.ends_with('\r')) text_.pop_back();
  return Got::kLine;
}

Error CsvReader::fault(Got got) const {
  if (got == Got::kTooLong) return {file_name_ + ":" + std::to_string(line_ + 1), "the line is too long for a CSV"};
  return {file_name_, "cannot read the file"};
}

Result<bool> CsvReader::read_header() {
  std::string header;
  do {
    const Got got = read_line();
    if (got == Got::kEnd && header.empty()) return Error{file_name_, "the file is empty"};
    if (got == Got::kEnd) return Error{place(), "a quote in the header is never closed"};
    if (got != Got::kLine) return fault(got);
    if (line_ == 1 && text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
    if (header.size() > kLongestLine) return fault(Got::kTooLong);
    header += (header.empty() ? "" : "\n") + text_;
  } while (has_open_quote(header) || trimmed(header, kBlanks).empty());
  std::string_view rest = header;
  for (bool more = true; more;) columns_.push_back(without_quotes(take_cell(rest, more)));
  std::vector<std::string_view> sorted(columns_.begin(), columns_.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                        [](std::string_view a, std::string_view b) { return a == b && !a.empty(); });
  if (twice != sorted.end()) return Error{place(), "the header names the column " + in_quotes(*twice) + " twice"};
  return true;
}

Result<bool> CsvReader::next() {
  for (;;) {
    const Got got = read_line();
    if (got == Got::kEnd) return false;
    if (got != Got::kLine) return fault(got);
    if (!trimmed(text_, kBlanks).empty() || columns_.size() == 1) return read_row();
  }
}

Result<bool> CsvReader::read_row() {
  std::string_view rest = text_;
  std::size_t cells = 0;
  std::size_t taken = 0;
  for (bool more = true; more; ++cells) {
    const std::string_view cell = take_cell(rest, more);
    if (taken == wanted_.size() || static_cast<std::size_t>(wanted_[taken]) != cells) continue;
    const Result<double> value = number(cell, cells);
    if (!value) return value.error();
    values_[taken++] = *value;
  }
  if (cells != columns_.size()) {
    return Error{place(), "the row has " + counted_cells(cells) + ", the header " + counted_cells(columns_.size())};
  }
  return true;
}

Result<double> CsvReader::number(std::string_view cell, std::size_t column) const {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
    cell = trimmed(cell.substr(1, cell.size() - 2), kBlanks);
  if (cell.starts_with('+')) cell.remove_prefix(1);
  if (cell.empty()) return kNaN;
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || error == std::errc::invalid_argument) {
    if (equal_ignoring_case(cell, "na")) return kNaN;
    const std::string name = column < columns_.size() ? columns_[column] : std::to_string(column + 1);
    return Error{place(), "column " + in_quotes(name) + ": " + in_quotes(cell) + " is not a number"};
  }
  // Beyond the range of a double: too small is zero to any eye, too large is not to be drawn.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(cell).c_str(), nullptr);
  return std::isfinite(value) ? value : kNaN;
}

}  // namespace kinloop::plot

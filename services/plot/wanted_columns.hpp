// Owns the reading of some columns of a CSV in an order of one's own.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "services/plot/csv_reader.hpp"

namespace kinloop::plot {

class WantedColumns {
 public:
  /// In any order, also several times the same.
  explicit WantedColumns(std::vector<int> columns) : columns_(std::move(columns)), sorted_(columns_) {
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  }

  /// Hands every row to `take`, numbers in the order of the columns; returns how many there were, at least one.
  template <class Take>
  Result<long long> read(CsvReader& reader, Take take) const {
    reader.want(sorted_);
    std::vector<std::size_t> from;
    from.reserve(columns_.size());
    for (const int column : columns_) {
      from.push_back(
          static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), column) - sorted_.begin()));
    }
    std::vector<double> row(columns_.size());
    for (long long rows = 0;; ++rows) {
      const Result<bool> more = reader.next();
      if (!more) return more.error();
      if (!*more && rows == 0) return Error{reader.place(), "there are no rows below the header"};
      if (!*more) return rows;
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = reader.values()[from[i]];
      take(std::span<const double>(row));
    }
  }

 private:
  std::vector<int> columns_;
  std::vector<int> sorted_;
};

}  // namespace kinloop::plot

// Feeds any bytes to the CSV reader, and what it reads to a chart; neither may crash, and no cell may be misplaced.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "core/base/require.hpp"
#include "services/plot/motion_charts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  auto reader = kinloop::plot::CsvReader::open(in, "fuzz.csv");
  if (!reader) return 0;
  kinloop::require(!reader->columns().empty(), "a header names a column");
  const std::vector<int> columns = kinloop::plot::default_columns(reader->columns());
  const auto chart = kinloop::plot::read_line_chart(*reader, columns, nullptr);
  if (!chart) return 0;
  std::size_t series = 0;
  for (const auto& panel : chart->panels) {
    for (const auto& one : panel.series) {
      ++series;
      for (const auto& p : one.line) {
        kinloop::require(std::isnan(p.x) || kinloop::plot::is_drawable(p), "a chart holds drawable points and gaps");
      }
    }
  }
  kinloop::require(series == columns.size(), "every column is a series");
  return 0;
}

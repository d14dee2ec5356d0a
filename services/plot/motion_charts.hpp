// Turns the rows of a CSV into a chart.
#pragma once

#include <vector>

#include "services/plot/columns.hpp"
#include "services/plot/csv_reader.hpp"
#include "services/plot/line_chart.hpp"
#include "services/plot/phase_chart.hpp"

namespace kinloop::plot {

/// The chosen columns over time, one panel a quantity. `model` may be null: then units are guessed from names.
Result<LineChart> read_line_chart(CsvReader& reader, const std::vector<int>& columns, const Model* model);

/// `pair` holds the columns for x and y.
Result<PhaseChart> read_phase_chart(CsvReader& reader, const std::vector<int>& pair, const Model* model);

}  // namespace kinloop::plot

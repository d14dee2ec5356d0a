// One pass over the file, bounded memory.
#include "services/plot/motion_charts.hpp"

#include <algorithm>
#include <array>

#include "services/plot/decimation.hpp"
#include "services/plot/wanted_columns.hpp"

namespace kinloop::plot {
namespace {

constexpr std::size_t kMaxPhasePoints = 1U << 21U;

/// The panel for that quantity, a new one if it is the first of its kind.
Panel& panel_for(const ColumnMeaning& meaning, LineChart& chart) {
  const std::string label = axis_label(meaning.quantity, meaning.unit);
  const auto found =
      std::find_if(chart.panels.begin(), chart.panels.end(), [&](const Panel& panel) { return panel.label == label; });
  if (found != chart.panels.end()) return *found;
  chart.panels.push_back({label, {}});
  return chart.panels.back();
}

}  // namespace

Result<LineChart> read_line_chart(CsvReader& reader, const std::vector<int>& columns, const Model* model) {
  const Result<int> time = find_column(reader.columns(), reader.place(), "t");
  if (!time) return time.error();
  std::vector<int> all = {*time};
  all.insert(all.end(), columns.begin(), columns.end());
  const WantedColumns wanted(all);
  std::vector<Envelope> envelopes(columns.size());
  const Result<long long> rows = wanted.read(reader, [&](std::span<const double> row) {
    for (std::size_t i = 0; i < envelopes.size(); ++i) envelopes[i].add(row[0], row[i + 1]);
  });
  if (!rows) return rows.error();

  LineChart chart;
  chart.x_label = axis_label("time", "s");
  const std::vector<ColumnMeaning> meanings = meanings_of(reader.columns(), columns, model);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    panel_for(meanings[i], chart).series.push_back({meanings[i].name, envelopes[i].line()});
  }
  return chart;
}

Result<PhaseChart> read_phase_chart(CsvReader& reader, const std::vector<int>& pair, const Model* model) {
  const WantedColumns wanted(pair);
  RowSampler sampler(2, kMaxPhasePoints);
  const Result<long long> rows = wanted.read(reader, [&](std::span<const double> row) { sampler.add(row); });
  if (!rows) return rows.error();

  PhaseChart chart;
  for (std::size_t i = 0; i < sampler.size(); ++i) {
    const Point p{sampler[i][0], sampler[i][1]};
    chart.line.push_back(is_drawable(p) ? p : kGap);
  }
  const std::vector<ColumnMeaning> meanings = meanings_of(reader.columns(), pair, model);
  const auto label = [](const ColumnMeaning& meaning) {
    if (meaning.quantity == "time") return axis_label("time", "s");
    const bool is_known = meaning.quantity != "value";
    return axis_label(is_known ? meaning.name + ": " + meaning.quantity : meaning.name, meaning.unit);
  };
  chart.x_label = label(meanings[0]);
  chart.y_label = label(meanings[1]);
  return chart;
}

}  // namespace kinloop::plot

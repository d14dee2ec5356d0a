// Keeps one value per column of the terminal, then scales it to eight heights of a block.
#include "services/cli/motion_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

constexpr std::size_t kColumns = 48;
constexpr std::size_t kMaxLines = 12;
constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

}  // namespace

MotionChart::MotionChart(const Model& model, double duration_s) : duration_s_(duration_s) {
  for (int i = 0; i < model.nv(); ++i) {
    if (model.coordinate(i).q < 0) continue;  // part of a rotation: no single number to draw
    if (lines_.size() == kMaxLines) {
      ++left_out_;
      continue;
    }
    Line line;
    line.name = model.speed_name(i);
    line.q = model.coordinate(i).q;
    lines_.push_back(line);
  }
}

void MotionChart::add(const State& state) {
  const double share = duration_s_ > 0.0 ? std::clamp(state.time_s() / duration_s_, 0.0, 1.0) : 0.0;
  const std::size_t column = std::min(kColumns - 1, static_cast<std::size_t>(share * kColumns));
  for (Line& line : lines_) {
    const double q = state.q()[line.q];
    if (line.course.empty()) line.start = q;
    line.end = q;
    line.least = std::min(line.least, q);
    line.most = std::max(line.most, q);
    // A column without a sample of its own repeats the one before.
    while (line.course.size() <= column) line.course.push_back(line.course.empty() ? q : line.course.back());
    line.course[column] = q;
  }
}

void MotionChart::print(std::ostream& out) const {
  if (lines_.empty() || lines_.front().course.empty()) return;
  console::Table table({{"coordinate"},
                        {"start", console::Align::kRight},
                        {"least", console::Align::kRight},
                        {"most", console::Align::kRight},
                        {"end", console::Align::kRight}});
  for (const Line& line : lines_) {
    std::string bars;
    const double range = line.most - line.least;
    for (const double q : line.course) {
      const double height = range > 0.0 ? (q - line.least) / range : 0.0;
      bars += kBars[static_cast<std::size_t>(std::lround(height * (kBars.size() - 1)))];
    }
    table.add({line.name, console::plain_number(line.start), console::plain_number(line.least),
               console::plain_number(line.most), console::plain_number(line.end)},
              bars);
  }
  table.print(out);
  if (left_out_ > 0) out << "and " << left_out_ << " more; --out keeps them all\n";
}

}  // namespace kinloop::cli

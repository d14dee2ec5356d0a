// From right to left: a name reaches to the right, so it has to pass above the marks it would meet.
#include "services/timing/timing_marks.hpp"

namespace kinloop::timing {
namespace {

using plot::Canvas;

constexpr double kSamePlace = 2.0;  // pixels that two lines cannot be told apart by
constexpr double kNameGap = 4.0;

}  // namespace

std::vector<Mark> arranged(std::vector<Mark> marks, Canvas& canvas) {
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.x < b.x; });
  std::vector<Mark> result;
  for (Mark& mark : marks) {
    if (result.empty() || mark.x - result.back().x > kSamePlace) {
      result.push_back(std::move(mark));
      continue;
    }
    result.back().name += ", " + mark.name;
    result.back().stroke = mark.stroke;
  }
  for (std::size_t i = result.size(); i-- > 0;) {
    const double end = result[i].x + 2.0 * kNameGap + canvas.text_width(result[i].name, kMarkTextSize);
    result[i].row = 0;
    for (std::size_t k = i + 1; k < result.size() && result[k].x < end; ++k) {
      result[i].row = std::max(result[i].row, result[k].row + 1);
    }
  }
  return result;
}

double height_of(const std::vector<Mark>& marks) {
  int rows = 1;
  for (const Mark& mark : marks) rows = std::max(rows, mark.row + 1);
  return kMarkRow * rows;
}

void draw_marks(const std::vector<Mark>& marks, const plot::Rectangle& frame, Canvas& canvas) {
  for (const Mark& mark : marks) {
    const double middle = frame.top - kMarkRow * (mark.row + 0.5);
    draw_segment(canvas, {mark.x, middle - 0.5 * kMarkTextSize}, {mark.x, frame.bottom()}, mark.stroke);
    canvas.text({mark.x + kNameGap, middle + plot::text_middle(kMarkTextSize)}, mark.name,
                {kMarkTextSize, mark.stroke.colour});
  }
}

}  // namespace kinloop::timing

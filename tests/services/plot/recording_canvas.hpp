// Owns a canvas that only remembers what was drawn on it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "services/plot/canvas.hpp"

namespace kinloop::plot {

class RecordingCanvas final : public Canvas {
 public:
  struct DrawnLine {
    Line points;
    Stroke stroke;
  };
  struct DrawnText {
    Point at;
    std::string text;
    TextStyle style;
  };
  struct DrawnCircle {
    Point centre;
    double radius;
    Paint paint;
  };

  void polyline(std::span<const Point> line, const Stroke& stroke) override {
    lines.push_back({Line(line.begin(), line.end()), stroke});
  }
  void polygon(std::span<const Point> corners, const Paint& /*paint*/) override {
    polygons.emplace_back(corners.begin(), corners.end());
  }
  void circle(Point centre, double radius, const Paint& paint) override { circles.push_back({centre, radius, paint}); }
  void text(Point at, std::string_view text, const TextStyle& style) override {
    texts.push_back({at, std::string(text), style});
  }
  double text_width(std::string_view text, double size) override {
    return 0.6 * size * static_cast<double>(text.size());
  }

  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const DrawnText& drawn : texts) all.push_back(drawn.text);
    return all;
  }
  /// Lines in that colour with more than two points: courses, not axes or legends.
  std::size_t courses(const Colour& colour) const {
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const DrawnLine& line) {
      return line.stroke.colour == colour && line.points.size() > 2;
    }));
  }

  std::vector<DrawnLine> lines;
  std::vector<Line> polygons;
  std::vector<DrawnCircle> circles;
  std::vector<DrawnText> texts;
};

}  // namespace kinloop::plot

// Owns Canvas: what drawings are made of, whatever file they end in.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "services/plot/colour.hpp"
#include "services/plot/geometry.hpp"

namespace kinloop::plot {

struct Stroke {
  Colour colour = kInk;
  double width = 1.0;
  Dash dash = Dash::kSolid;
};

struct Paint {
  std::optional<Colour> fill;
  std::optional<Stroke> stroke;
};

enum class Anchor { kStart, kMiddle, kEnd };
enum class Turn { kLevel, kUpwards };  // kUpwards reads from bottom to top

struct TextStyle {
  double size = 12.0;
  Colour colour = kInk;
  Anchor anchor = Anchor::kStart;
  Turn turn = Turn::kLevel;
};

/// Pixels, x to the right, y down.
class Canvas {
 public:
  virtual ~Canvas() = default;

  /// Points that are kGap separate pieces.
  virtual void polyline(std::span<const Point> line, const Stroke& stroke) = 0;
  virtual void polygon(std::span<const Point> corners, const Paint& paint) = 0;
  virtual void circle(Point centre, double radius, const Paint& paint) = 0;
  /// `at` lies on the baseline.
  virtual void text(Point at, std::string_view text, const TextStyle& style) = 0;
  virtual double text_width(std::string_view text, double size) = 0;
};

/// From the baseline down to the middle of letters, so that text can be centred on a line.
inline double text_middle(double size) noexcept { return 0.36 * size; }

inline void draw_segment(Canvas& canvas, Point a, Point b, const Stroke& stroke) {
  const Point line[] = {a, b};
  canvas.polyline(line, stroke);
}

}  // namespace kinloop::plot

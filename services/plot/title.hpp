// Owns the title above a picture, if it has one.
#pragma once

#include <string>

#include "services/plot/cairo_canvas.hpp"

namespace kinloop::plot {

inline constexpr double kMargin = 14.0;  // around a picture
inline constexpr double kTitleSize = 15.0;

inline double title_height(const std::string& title) { return title.empty() ? 0.0 : kTitleSize + 12.0; }

inline void draw_title(const std::string& title, ImageSize size, Canvas& canvas) {
  if (title.empty()) return;
  canvas.text({0.5 * size.width, kMargin + 0.8 * kTitleSize}, title, {kTitleSize, kInk, Anchor::kMiddle});
}

}  // namespace kinloop::plot

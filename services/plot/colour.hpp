// Owns the colours of pictures: told apart by every eye, on white, in print.
#pragma once

#include <array>
#include <cstddef>

namespace kinloop::plot {

struct Colour {
  double red = 0.0, green = 0.0, blue = 0.0;
  double opacity = 1.0;

  friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour kInk{0.13, 0.15, 0.18};
inline constexpr Colour kSoftInk{0.35, 0.38, 0.42};
inline constexpr Colour kGridLine{0.90, 0.91, 0.92};
inline constexpr Colour kWhite{1.0, 1.0, 1.0};

enum class Dash { kSolid, kDashed, kDotted };

/// Okabe and Ito, "Color Universal Design" (2008), without the yellow and the black.
inline constexpr std::array<Colour, 6> kPalette = {{{0.000, 0.447, 0.698},
                                                    {0.835, 0.369, 0.000},
                                                    {0.000, 0.620, 0.451},
                                                    {0.800, 0.475, 0.655},
                                                    {0.902, 0.624, 0.000},
                                                    {0.337, 0.706, 0.914}}};

/// The colour and dash of line i; colours come again in other dashes.
constexpr Colour line_colour(std::size_t i) noexcept { return kPalette[i % kPalette.size()]; }
constexpr Dash line_dash(std::size_t i) noexcept { return static_cast<Dash>(i / kPalette.size() % 3); }

/// From `a` (share 0) to `b` (share 1).
constexpr Colour mixed(const Colour& a, const Colour& b, double share) noexcept {
  const auto mix = [share](double x, double y) { return x + share * (y - x); };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue), mix(a.opacity, b.opacity)};
}
constexpr Colour with_opacity(Colour colour, double opacity) noexcept {
  colour.opacity = opacity;
  return colour;
}

}  // namespace kinloop::plot

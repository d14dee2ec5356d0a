// Owns the drawing of SVG and PNG with cairo.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.hpp"
#include "services/plot/canvas.hpp"

namespace kinloop::plot {

enum class ImageFormat { kSvg, kPng };

struct ImageSize {
  double width = 760.0;
  double height = 420.0;
};

/// White at first. SVG has one unit a pixel, PNG has kPngScale dots a pixel along each axis.
class CairoCanvas final : public Canvas {
 public:
  static constexpr double kPngScale = 2.0;

  CairoCanvas(ImageFormat format, ImageSize size);
  ~CairoCanvas() override;
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

  void polyline(std::span<const Point> line, const Stroke& stroke) override;
  void polygon(std::span<const Point> corners, const Paint& paint) override;
  void circle(Point centre, double radius, const Paint& paint) override;
  void text(Point at, std::string_view text, const TextStyle& style) override;
  double text_width(std::string_view text, double size) override;

  /// The bytes of the file; nothing may be drawn afterwards.
  Result<std::string> finish();

 private:
  struct Handles;
  void finish_path(const Paint& paint);
  void stroke(const Stroke& stroke);

  ImageFormat format_;
  std::string bytes_;
  std::unique_ptr<Handles> handles_;
};

/// `text` as valid UTF-8 without control characters: whatever is not is shown as '?'.
std::string printable(std::string_view text);

}  // namespace kinloop::plot

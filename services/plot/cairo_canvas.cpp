// The one place that knows cairo.
#include "services/plot/cairo_canvas.hpp"

#include <cairo-svg.h>
#include <cairo.h>

#include <array>
#include <cmath>
#include <numbers>

#include "services/base/utf8.hpp"

// fontconfig keeps its configuration until the process ends, in a way that the leak sanitizer takes for a leak. The
// sanitizer asks these functions by their names; nobody does in an ordinary build.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace kinloop::plot {
namespace {

constexpr const char* kFont = "DejaVu Sans";  // libcairo2 brings it along through fontconfig

cairo_status_t append(void* closure, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

/// Hundredths of a pixel: the eye sees no more, and files stay small.
double rounded(double value) noexcept { return std::round(value * 100.0) / 100.0; }

/// Cairo numbers its groups through the life of the process; without the number equal pictures are equal files.
void remove_group_name(std::string& svg) {
  const std::string_view start = " id=\"surface";
  const std::size_t at = svg.find(start);
  if (at == std::string::npos) return;
  const std::size_t end = svg.find('"', at + start.size());
  if (end != std::string::npos) svg.erase(at, end + 1 - at);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = first_character(text).length;
    const auto first = static_cast<unsigned char>(text.front());
    if (size == 0 || first == 0x7FU) {
      result += '?';
    } else if (first < 0x20U) {
      result += ' ';
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

struct CairoCanvas::Handles {
  cairo_surface_t* surface = nullptr;
  cairo_t* context = nullptr;

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    cairo_destroy(context);
    cairo_surface_destroy(surface);
  }
};

CairoCanvas::CairoCanvas(ImageFormat format, ImageSize size) : format_(format), handles_(std::make_unique<Handles>()) {
  if (format == ImageFormat::kSvg) {
    handles_->surface = cairo_svg_surface_create_for_stream(append, &bytes_, size.width, size.height);
    cairo_svg_surface_set_document_unit(handles_->surface, CAIRO_SVG_UNIT_PX);
  } else {
    handles_->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(kPngScale * size.width)),
                                   static_cast<int>(std::lround(kPngScale * size.height)));
  }
  cairo_t* context = cairo_create(handles_->surface);
  handles_->context = context;
  if (format == ImageFormat::kPng) cairo_scale(context, kPngScale, kPngScale);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_select_font_face(context, kFont, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  // Letters keep their shape and width at every scale.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
  cairo_rectangle(context, 0.0, 0.0, size.width, size.height);
  finish_path({kWhite, {}});
}

CairoCanvas::~CairoCanvas() = default;

void CairoCanvas::stroke(const Stroke& stroke) {
  cairo_t* context = handles_->context;
  const double w = stroke.width;
  switch (stroke.dash) {
    case Dash::kSolid:
      cairo_set_dash(context, nullptr, 0, 0.0);
      break;
    case Dash::kDashed: {
      const std::array<double, 2> pattern = {4.0 * w, 2.5 * w};
      cairo_set_dash(context, pattern.data(), 2, 0.0);
      break;
    }
    case Dash::kDotted: {
      const std::array<double, 2> pattern = {1.2 * w, 1.8 * w};
      cairo_set_dash(context, pattern.data(), 2, 0.0);
      break;
    }
  }
  cairo_set_line_cap(context, stroke.dash == Dash::kSolid ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_line_width(context, w);
  cairo_set_source_rgba(context, stroke.colour.red, stroke.colour.green, stroke.colour.blue, stroke.colour.opacity);
  cairo_stroke_preserve(context);
}

void CairoCanvas::finish_path(const Paint& paint) {
  cairo_t* context = handles_->context;
  if (paint.fill) {
    cairo_set_source_rgba(context, paint.fill->red, paint.fill->green, paint.fill->blue, paint.fill->opacity);
    cairo_fill_preserve(context);
  }
  if (paint.stroke) stroke(*paint.stroke);
  cairo_new_path(context);
}

void CairoCanvas::polyline(std::span<const Point> line, const Stroke& stroke) {
  bool is_open = false;
  for (const Point& p : line) {
    if (!is_drawable(p)) {
      is_open = false;
      continue;
    }
    if (is_open) {
      cairo_line_to(handles_->context, rounded(p.x), rounded(p.y));
    } else {
      cairo_move_to(handles_->context, rounded(p.x), rounded(p.y));
      cairo_line_to(handles_->context, rounded(p.x), rounded(p.y));  // a lone sample is a dot
    }
    is_open = true;
  }
  finish_path({{}, stroke});
}

void CairoCanvas::polygon(std::span<const Point> corners, const Paint& paint) {
  for (const Point& p : corners) cairo_line_to(handles_->context, rounded(p.x), rounded(p.y));
  if (!corners.empty()) cairo_close_path(handles_->context);
  finish_path(paint);
}

void CairoCanvas::circle(Point centre, double radius, const Paint& paint) {
  cairo_new_sub_path(handles_->context);
  cairo_arc(handles_->context, rounded(centre.x), rounded(centre.y), radius, 0.0, 2.0 * std::numbers::pi);
  cairo_close_path(handles_->context);
  finish_path(paint);
}

void CairoCanvas::text(Point at, std::string_view text, const TextStyle& style) {
  cairo_t* context = handles_->context;
  const std::string shown = printable(text);
  const double width = text_width(shown, style.size);
  const double shift = style.anchor == Anchor::kStart ? 0.0 : style.anchor == Anchor::kMiddle ? 0.5 * width : width;
  cairo_save(context);
  cairo_set_source_rgba(context, style.colour.red, style.colour.green, style.colour.blue, style.colour.opacity);
  cairo_translate(context, rounded(at.x), rounded(at.y));
  if (style.turn == Turn::kUpwards) cairo_rotate(context, -0.5 * std::numbers::pi);
  cairo_move_to(context, rounded(-shift), 0.0);
  cairo_show_text(context, shown.c_str());
  cairo_restore(context);
  cairo_new_path(context);
}

double CairoCanvas::text_width(std::string_view text, double size) {
  cairo_set_font_size(handles_->context, size);
  cairo_text_extents_t extents;
  cairo_text_extents(handles_->context, printable(text).c_str(), &extents);
  return extents.x_advance;
}

Result<std::string> CairoCanvas::finish() {
  cairo_status_t status = cairo_status(handles_->context);
  if (status == CAIRO_STATUS_SUCCESS && format_ == ImageFormat::kPng) {
    status = cairo_surface_write_to_png_stream(handles_->surface, append, &bytes_);
  }
  cairo_surface_finish(handles_->surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(handles_->surface);
  if (status != CAIRO_STATUS_SUCCESS) return Error{"drawing", cairo_status_to_string(status)};
  if (format_ == ImageFormat::kSvg) remove_group_name(bytes_);
  return bytes_;
}

}  // namespace kinloop::plot

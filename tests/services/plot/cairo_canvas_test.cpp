// Tests the files that cairo makes of a drawing.
#include "services/plot/cairo_canvas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/plot/line_chart.hpp"

namespace kinloop::plot {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string svg_of(const LineChart& chart) {
  CairoCanvas canvas(ImageFormat::kSvg, natural_size(chart));
  draw(chart, natural_size(chart), canvas);
  return canvas.finish().value();
}

const LineChart kChart{"", "time (s)", {{"angle (rad)", {{"a", {{0, 0}, {1, 1}, {2, 0}}}, {"b", {{0, 1}, {1, 0}}}}}}};

TEST(CairoCanvas, EachSeriesIsOnePathInItsColourAndOneInTheLegend) {
  const std::string svg = svg_of(kChart);

  EXPECT_EQ(count_of(svg, "stroke:rgb(0%,44.7%,69.8%)"), 2U);
  EXPECT_EQ(count_of(svg, "stroke:rgb(83.5%,36.9%,0%)"), 2U);
  EXPECT_GT(count_of(svg, "<use xlink:href=\"#glyph"), 20U);
}

TEST(CairoCanvas, EqualDrawingsAreEqualFiles) { EXPECT_EQ(svg_of(kChart), svg_of(kChart)); }

TEST(CairoCanvas, APngHasTwoDotsAPixel) {
  CairoCanvas canvas(ImageFormat::kPng, {100.0, 50.0});
  const std::string png = canvas.finish().value();

  ASSERT_GT(png.size(), 24U);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<unsigned char>(png[19]), 200);
  EXPECT_EQ(static_cast<unsigned char>(png[23]), 100);
}

TEST(CairoCanvas, TextThatIsNoUtf8DoesNotSpoilThePicture) {
  CairoCanvas canvas(ImageFormat::kSvg, {100.0, 50.0});

  canvas.text({10.0, 10.0}, "a\xFF\xC3(\xED\xA0\x80\x01", {});

  EXPECT_TRUE(canvas.finish().has_value());
  EXPECT_EQ(printable("a\xFFz\n€"), "a?z €");
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");
}

}  // namespace
}  // namespace kinloop::plot

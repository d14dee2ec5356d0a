// Fits everything that moves into one frame at one scale.
#include "services/plot/mechanism_picture.hpp"

#include "services/plot/decimation.hpp"
#include "services/plot/figure.hpp"
#include "services/plot/legend.hpp"
#include "services/plot/ticks.hpp"
#include "services/plot/title.hpp"

namespace kinloop::plot {
namespace {

constexpr double kFigureMargin = 26.0;  // around the figure: signs are larger than their points
constexpr double kFooter = 56.0;        // scale bar and directions
constexpr double kLegendRoom = 150.0;   // in a natural size
constexpr ImageSize kMaxFigure{700.0, 470.0};
constexpr ImageSize kLeastFigure{260.0, 160.0};
constexpr double kSmallest_m = 1e-9;

struct Extent {
  Range x, y;  // metres on the picture's plane
};

Extent extent_of(const MechanismPicture& picture) {
  Extent extent;
  const auto add = [&](const Vector3& p, double radius) {
    const Point on_plane = picture.view(p);
    for (const double sign : {-1.0, 1.0}) {
      extent.x.add(on_plane.x + sign * radius);
      extent.y.add(on_plane.y + sign * radius);
    }
  };
  for (const Posture& posture : picture.postures) {
    for (const Vector3& p : points_of(picture.skeleton, posture)) add(p, 0.0);
    for (const SkeletonJoint& joint : picture.skeleton.joints) {
      for (const Vector3& p : joint.profile) add(at(posture, joint.predecessor, joint.X_PA.p + joint.X_PA.R * p), 0.0);
    }
  }
  if (!picture.postures.empty()) {
    for (const SkeletonShape& shape : picture.skeleton.shapes) {
      for (const Vector3& p : shape.points) {
        add(at(picture.postures.back(), shape.body, p), shape.radius * picture.view.right.norm());
      }
    }
  }
  for (const TracedPath& path : picture.paths) {
    for (const Vector3& p : path.points) add(p, 0.0);
  }
  if (extent.x.empty()) extent = {{0.0, 1.0}, {0.0, 1.0}};
  return extent;
}

double scale_for(const Extent& extent, double width, double height) {
  const double room_x = std::max(20.0, width - 2.0 * kFigureMargin);
  const double room_y = std::max(20.0, height - 2.0 * kFigureMargin);
  if (std::max(extent.x.span(), extent.y.span()) < kSmallest_m) return 0.4 * room_x;  // a point: as if 1 m wide
  return std::min(room_x / std::max(extent.x.span(), kSmallest_m), room_y / std::max(extent.y.span(), kSmallest_m));
}

/// Old figures fade, so that the last one stands out.
Colour ghost_colour(std::size_t i, std::size_t count) {
  const double age = static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(1, count - 1));
  return mixed(kWhite, mixed(kPalette[5], kPalette[0], age), 0.45 + 0.35 * age);
}

std::vector<LegendEntry> legend_of(const MechanismPicture& picture) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < picture.paths.size(); ++i) {
    entries.push_back({picture.paths[i].name, {line_colour(i + 1), 1.6, line_dash(i + 1)}, LegendMark::kLine});
  }
  if (picture.times_s.empty()) return entries;
  const auto time = [&](double t) { return "t = " + time_label(t, picture.times_s) + " s"; };
  if (picture.times_s.size() > 1) {
    entries.push_back({time(picture.times_s.front()), {ghost_colour(0, picture.times_s.size()), 1.6}});
  }
  entries.push_back({time(picture.times_s.back()), {kInk, 2.2}});
  return entries;
}

FigureStyle style_for(const MechanismPicture& picture, double width, double height) {
  const auto joints = static_cast<double>(std::max<std::size_t>(1, picture.skeleton.joints.size()));
  FigureStyle style;
  style.mark = std::clamp(0.045 * std::sqrt(width * height / joints), 1.8, 5.0);
  style.line_width = 0.6 + 0.32 * style.mark;
  return style;
}

void draw_path(const TracedPath& path, const Placement& place, const Stroke& stroke, Canvas& canvas) {
  Line line;
  for (const Vector3& p : path.points) line.push_back(p.allFinite() ? place(p) : kGap);
  line = without_overdrawn(simplified(line, kDrawnTolerance));
  if (!line.empty()) canvas.polyline(line, stroke);
}

void draw_scale_bar(Point left, double pixels_per_metre, double max_width, Canvas& canvas) {
  const double metres = round_down(max_width / pixels_per_metre);
  const double width = metres * pixels_per_metre;
  const Stroke line{kInk, 1.3};
  draw_segment(canvas, left, {left.x + width, left.y}, line);
  for (const double x : {left.x, left.x + width}) draw_segment(canvas, {x, left.y - 3.5}, {x, left.y + 3.5}, line);
  canvas.text({left.x + 0.5 * width, left.y - 6.0}, short_label(metres) + " m",
              {kLegendTextSize, kInk, Anchor::kMiddle});
}

/// Arrows along the axes that the view does not look along.
void draw_directions(double right, double bottom, const Projection& view, Canvas& canvas) {
  constexpr double kArrow = 18.0;
  double below = 0.0;
  for (int axis = 0; axis < 3; ++axis) below = std::max(below, -kArrow * view(Vector3::Unit(axis)).y);
  const Point origin{right - 46.0, bottom - 12.0 - below};
  const char* const names[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    const Point metres = view(Vector3::Unit(axis));
    if (length(metres) < 0.1) continue;
    const Point along{metres.x, -metres.y};
    const Point tip = origin + kArrow * along;
    const Point back = unit(along, {});
    const Point across = quarter_turn(back);
    const Stroke line{kSoftInk, 1.1};
    draw_segment(canvas, origin, tip, line);
    const Point head[] = {tip, tip - 6.0 * back + 2.4 * across, tip - 6.0 * back - 2.4 * across};
    canvas.polygon(head, {kSoftInk, {}});
    const Point name = tip + 8.0 * back;
    canvas.text({name.x, name.y + text_middle(kLegendTextSize)}, names[axis],
                {kLegendTextSize, kSoftInk, Anchor::kMiddle});
  }
}

}  // namespace

ImageSize natural_size(const MechanismPicture& picture) {
  const Extent extent = extent_of(picture);
  const double scale = scale_for(extent, kMaxFigure.width, kMaxFigure.height);
  const double margins = 2.0 * kFigureMargin;
  ImageSize size;
  size.width = std::clamp(scale * extent.x.span() + margins, kLeastFigure.width, kMaxFigure.width);
  size.height = std::clamp(scale * extent.y.span() + margins, kLeastFigure.height, kMaxFigure.height);
  const bool has_legend = !picture.paths.empty() || !picture.times_s.empty();
  size.width = std::ceil(size.width + (has_legend ? kLegendRoom : 0.0));
  size.height = std::ceil(size.height + kFooter + title_height(picture.title));
  return size;
}

void draw(const MechanismPicture& picture, ImageSize size, Canvas& canvas) {
  draw_title(picture.title, size, canvas);
  const std::vector<LegendEntry> legend = legend_of(picture);
  const double legend_room = legend.empty() ? 0.0 : legend_width(legend, canvas) + kLegendGap + kMargin;
  const double top = title_height(picture.title);
  const Rectangle frame{0.0, top, size.width - legend_room, size.height - kFooter - top};
  const Extent extent = extent_of(picture);
  const double scale = scale_for(extent, frame.width, frame.height);
  const Placement place{picture.view,
                        scale,
                        {frame.left + 0.5 * frame.width - scale * 0.5 * (extent.x.least + extent.x.most),
                         frame.top + 0.5 * frame.height + scale * 0.5 * (extent.y.least + extent.y.most)}};

  const FigureStyle style = style_for(picture, frame.width, frame.height);
  const std::size_t count = picture.postures.size();
  if (count > 0) draw_shapes(picture.skeleton, picture.postures.back(), place, canvas);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const FigureStyle ghost{ghost_colour(i, count), 0.6 * style.line_width, 0.6 * style.mark};
    draw_figure(picture.skeleton, picture.postures[i], place, ghost, canvas);
  }
  for (std::size_t i = 0; i < picture.paths.size(); ++i) {
    draw_path(picture.paths[i], place, legend[i].stroke, canvas);
  }
  draw_ground(picture.skeleton, picture.postures, place, style, canvas);
  if (count > 0) draw_figure(picture.skeleton, picture.postures.back(), place, style, canvas);
  for (std::size_t i = 0; i < picture.paths.size(); ++i) {
    const std::vector<Vector3>& points = picture.paths[i].points;
    if (!points.empty() && points.back().allFinite()) {
      canvas.circle(place(points.back()), 3.2, {legend[i].stroke.colour, Stroke{kWhite, 0.8}});
    }
  }
  draw_legend({frame.right() + kLegendGap, frame.top + kMargin}, frame.height, legend, canvas);
  draw_scale_bar({kMargin + 4.0, size.height - 16.0}, scale, 0.25 * frame.width, canvas);
  draw_directions(frame.right(), size.height, picture.view, canvas);
}

}  // namespace kinloop::plot

// A view along the axis that matters least.
#include "services/plot/view.hpp"

#include <Eigen/Geometry>
#include <array>
#include <vector>

namespace kinloop::plot {
namespace {

/// Where two views would do, the first of these that does is taken: from the front, from above, from the side.
constexpr std::array<int, 3> kNormals = {1, 2, 0};

ViewKind view_along(int axis) { return axis == 1 ? ViewKind::kFront : axis == 2 ? ViewKind::kTop : ViewKind::kSide; }

std::vector<int> flat_axes(const Vector3& extent, double flat) {
  std::vector<int> axes;
  for (const int axis : kNormals) {
    if (extent[axis] <= flat * extent.maxCoeff()) axes.push_back(axis);
  }
  return axes;
}

/// The axis against gravity, up to the nearest coordinate axis; z without gravity.
Vector3 upwards(const Vector3& gravity) {
  int axis = 2;
  if (gravity.norm() > 0.0) gravity.cwiseAbs().maxCoeff(&axis);
  return (gravity[axis] > 0.0 ? -1.0 : 1.0) * Vector3::Unit(axis);
}

}  // namespace

Projection make_projection(ViewKind kind, const Vector3& gravity) {
  if (kind == ViewKind::kIso) {
    const Vector3 up = upwards(gravity);
    int axis = 2;
    up.cwiseAbs().maxCoeff(&axis);
    const Vector3 a = Vector3::Unit((axis + 1) % 3);
    const Vector3 b = up.cross(a);  // a, b, up turn to the right
    const Vector3 towards_viewer = (a - b + up) / std::sqrt(3.0);
    const Vector3 right = (a + b) / std::sqrt(2.0);
    const double shortening = std::sqrt(2.0 / 3.0);
    return {right / shortening, towards_viewer.cross(right) / shortening};
  }
  Projection view;
  view.right = Vector3::Unit(kind == ViewKind::kSide ? 1 : 0);
  view.up = Vector3::Unit(kind == ViewKind::kTop ? 1 : 2);
  // With the vertical axis pointing down, as aircraft have it, the picture is seen from the other side.
  if (gravity.dot(view.up) > 0.5 * gravity.norm() && gravity.norm() > 0.0) view.up = -view.up;
  return view;
}

ViewKind choose_view(const Vector3& first, const Vector3& second, double flat) {
  if (!(first.maxCoeff() > 0.0)) {
    return second.maxCoeff() > 0.0 ? choose_view(second, first, flat) : ViewKind::kFront;
  }
  const std::vector<int> axes = flat_axes(first, flat);
  if (axes.empty()) return ViewKind::kIso;
  int best = axes.front();
  for (const int axis : axes) {
    if (second[axis] < second[best] - 1e-9 * second.maxCoeff()) best = axis;
  }
  return view_along(best);
}

Vector3 spread(std::span<const Vector3> points) {
  if (points.empty()) return Vector3::Zero();
  Vector3 least = points.front();
  Vector3 most = points.front();
  for (const Vector3& p : points) {
    least = least.cwiseMin(p);
    most = most.cwiseMax(p);
  }
  return most - least;
}

}  // namespace kinloop::plot

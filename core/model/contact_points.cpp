// Lists the points at which contacts may touch: centres of spheres, corners of boxes.
#include "core/model/contact_points.hpp"

namespace kinloop {
namespace {

/// Where the corners of a box lie along one of its edges.
std::vector<double> ends(double edge_m) {
  if (edge_m == 0.0) return {0.0};
  return {-0.5 * edge_m, 0.5 * edge_m};
}

}  // namespace

std::vector<Vector3> contact_points(const ContactSpec& contact) {
  if (contact.shape == ContactShape::kSphere) return {Vector3::Zero()};
  std::vector<Vector3> corners;
  for (const double x : ends(contact.size.x())) {
    for (const double y : ends(contact.size.y())) {
      for (const double z : ends(contact.size.z())) corners.emplace_back(x, y, z);
    }
  }
  return corners;
}

}  // namespace kinloop

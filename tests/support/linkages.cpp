// Builds the well-known closed mechanisms.
#include "tests/support/linkages.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <utility>

#include "services/base/diagnostics.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop::mechanisms {
namespace {

/// Of the first bar of a ladder.
constexpr double kFirstBar_rad = 1.3;

/// A rod along x from its frame's origin, 1 kg/m.
BodySpec rod_along_x(const std::string& name, double length_m) {
  BodySpec body;
  body.name = name;
  body.mass = length_m;
  body.com = Vector3(0.5 * length_m, 0.0, 0.0);
  const double across = body.mass * length_m * length_m / 12.0;
  body.inertia = Vector3(0.01 * across, across, across).asDiagonal();
  return body;
}

/// Hinge about z at a point of each body.
JointSpec pin(const std::string& name, const std::string& predecessor, const Vector3& at, const std::string& successor,
              const Vector3& own = Vector3::Zero()) {
  JointSpec joint;
  joint.name = name;
  joint.type = JointType::kRevolute;
  joint.predecessor = predecessor;
  joint.successor = successor;
  joint.frame_pred.p = at;
  joint.frame_succ.p = own;
  return joint;
}

Vector3 along_x(double x) { return {x, 0.0, 0.0}; }

/// Adds a crank-rocker that stands on `base` with its bearings 2 m apart from `at` on; the first bar is the crank.
void add_four_bar(const std::string& suffix, const std::string& base, const Vector3& at, double crank_rad,
                  double spin_rad_s, ModelSpec& spec) {
  constexpr double kCrank = 0.8, kCoupler = 2.2, kRocker = 1.6, kBase = 2.0;
  const double tip_x = kCrank * std::cos(crank_rad), tip_y = kCrank * std::sin(crank_rad);
  const double reach = std::hypot(kBase - tip_x, tip_y);
  const double corner = std::acos((kCoupler * kCoupler + reach * reach - kRocker * kRocker) / (2.0 * kCoupler * reach));
  const double coupler = std::atan2(-tip_y, kBase - tip_x) + corner;
  const double rocker = std::atan2(-tip_y - kCoupler * std::sin(coupler), kBase - tip_x - kCoupler * std::cos(coupler));
  const double coupler_rate =
      spin_rad_s * kCrank * std::sin(crank_rad - rocker) / (kCoupler * std::sin(rocker - coupler));
  const double rocker_rate =
      spin_rad_s * kCrank * std::sin(crank_rad - coupler) / (kRocker * std::sin(coupler - rocker));
  const std::string bar1 = "crank" + suffix, bar2 = "coupler" + suffix, bar3 = "rocker" + suffix;
  spec.bodies.push_back(rod_along_x(bar1, kCrank));
  spec.bodies.push_back(rod_along_x(bar2, kCoupler));
  spec.bodies.push_back(rod_along_x(bar3, kRocker));
  spec.joints.push_back(pin("O1" + suffix, base, at, bar1));
  spec.joints.push_back(pin("O2" + suffix, bar1, along_x(kCrank), bar2));
  spec.joints.push_back(pin("O3" + suffix, bar2, along_x(kCoupler), bar3));
  const std::size_t first = spec.joints.size() - 3;
  spec.joints[first].initial_q = {crank_rad};
  spec.joints[first].initial_u = {spin_rad_s};
  spec.joints[first + 1].initial_q = {coupler - crank_rad};
  spec.joints[first + 1].initial_u = {coupler_rate - spin_rad_s};
  spec.joints[first + 2].initial_q = {rocker - coupler};
  spec.joints[first + 2].initial_u = {rocker_rate - coupler_rate};
  spec.loops.push_back(pin("O4" + suffix, bar3, along_x(kRocker), base, at + along_x(kBase)));
}

}  // namespace

ModelSpec placed(ModelSpec spec, const Pose& X) {
  spec.gravity = X.R * spec.gravity;
  for (auto* list : {&spec.joints, &spec.loops}) {
    for (JointSpec& joint : *list) {
      if (joint.predecessor == kGround) joint.frame_pred = X * joint.frame_pred;
      if (joint.successor == kGround) joint.frame_succ = X * joint.frame_succ;
    }
  }
  for (SpringSpec& spring : spec.springs) {
    if (spring.body_a == kGround) spring.point_a = X.p + X.R * spring.point_a;
    if (spring.body_b == kGround) spring.point_b = X.p + X.R * spring.point_b;
  }
  for (BushingSpec& bushing : spec.bushings) {
    if (bushing.body_a == kGround) bushing.frame_a = X * bushing.frame_a;
    if (bushing.body_b == kGround) bushing.frame_b = X * bushing.frame_b;
  }
  return spec;
}

ModelSpec four_bar(double crank_rad, double spin_rad_s) {
  ModelSpec spec;
  spec.name = "four_bar";
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  add_four_bar("", kGround, Vector3::Zero(), crank_rad, spin_rad_s, spec);
  return spec;
}

ModelSpec n_four_bar(int n, double angle_rad, double rate_rad_s) {
  ModelSpec spec;
  spec.name = "n_four_bar" + std::to_string(n);
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  const auto add = [&](JointSpec joint, double sign) {
    joint.initial_q = {sign * angle_rad};
    joint.initial_u = {sign * rate_rad_s};
    spec.joints.push_back(joint);
  };
  const Vector3 end = along_x(1.0);
  spec.bodies.push_back(rod_along_x("bar0", 1.0));
  add(pin("A0", kGround, Vector3::Zero(), "bar0"), 1.0);
  for (int i = 1; i <= n; ++i) {
    const std::string number = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    spec.bodies.push_back(rod_along_x("coupler" + number, 1.0));
    spec.bodies.push_back(rod_along_x("bar" + number, 1.0));
    add(pin("B" + number, "bar" + before, end, "coupler" + number), -1.0);
    add(pin("C" + number, "coupler" + number, end, "bar" + number, end), 1.0);
    spec.loops.push_back(pin("A" + number, "bar" + number, Vector3::Zero(), kGround, along_x(i)));
  }
  return spec;
}

namespace {

/// Coupler and far bar of a window: lengths, and directions in which they leave the top of the bar before and their
/// own.
struct Window {
  double length, across;
  double height, down;
};

ModelSpec windows_side_by_side(const std::string& name, const std::vector<Window>& windows) {
  ModelSpec spec;
  spec.name = name;
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  const auto add = [&](JointSpec joint, double q) {
    joint.initial_q = {q};
    spec.joints.push_back(joint);
  };
  double above = kFirstBar_rad;  // direction of the bar before, and where its top is
  double reach = 1.0;
  Vector3 top(std::cos(above), std::sin(above), 0.0);
  spec.bodies.push_back(rod_along_x("bar0", reach));
  add(pin("A0", kGround, Vector3::Zero(), "bar0"), above);
  for (std::size_t i = 1; i <= windows.size(); ++i) {
    const auto& [length, across, height, down] = windows[i - 1];
    const std::string number = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    spec.bodies.push_back(rod_along_x("coupler" + number, length));
    spec.bodies.push_back(rod_along_x("bar" + number, height));
    add(pin("B" + number, "bar" + before, i == 1 ? along_x(reach) : Vector3::Zero(), "coupler" + number),
        across - above);
    add(pin("C" + number, "coupler" + number, along_x(length), "bar" + number), down - across);
    top += length * Vector3(std::cos(across), std::sin(across), 0.0);
    const Vector3 foot = top + height * Vector3(std::cos(down), std::sin(down), 0.0);
    spec.loops.push_back(pin("A" + number, "bar" + number, along_x(height), kGround, foot));
    above = down;
  }
  return spec;
}

}  // namespace

ModelSpec ladder(int n, int folded, double fold_rad) {
  std::vector<Window> windows;
  for (int i = 1; i <= n; ++i) {
    const double across = i == folded ? -0.6 : 0.1 * (i % 2);
    const double down = i == folded ? across + fold_rad : -1.7 - 0.1 * i;
    windows.push_back({0.9 + 0.1 * (i % 3), across, i == folded ? 0.8 : 1.0 + 0.07 * i, down});
  }
  return windows_side_by_side("ladder" + std::to_string(n), windows);
}

ModelSpec folded_ladder(int n, double fold_rad) {
  const int ahead = n / 3;
  const int behind = 2 * n / 3;
  std::vector<Window> windows;
  for (int i = 1; i <= n; ++i) {
    Window window{0.9 + 0.1 * (i % 3), 0.1 * (i % 2), 1.0 + 0.05 * (i % 4), -1.7 + 0.2 * std::sin(i)};
    if (i == ahead) window = {window.length, -0.6, 0.8, -0.6 + fold_rad};
    if (i == behind) window.across = windows.back().down + std::numbers::pi + fold_rad;
    windows.push_back(window);
  }
  return windows_side_by_side("folded_ladder" + std::to_string(n), windows);
}

ModelSpec four_bar_chain(int n) {
  ModelSpec spec;
  spec.name = "four_bar_chain" + std::to_string(n);
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  std::string base = kGround;
  for (int i = 0; i < n; ++i) {
    const std::string suffix = std::to_string(i);
    add_four_bar(suffix, base, Vector3(0.1, 0.1 * i, 0.0), 1.0 + 0.2 * i, 2.0 - 0.3 * i, spec);
    base = "coupler" + suffix;
  }
  return spec;
}

ModelSpec lattice(int rows, int columns) {
  ModelSpec spec;
  spec.name = "lattice" + std::to_string(rows) + "x" + std::to_string(columns);
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  Random random(5);
  std::map<std::pair<int, int>, Vector3> node;
  for (int r = 0; r <= rows; ++r) {
    for (int c = 0; c <= columns; ++c) {
      node[{r, c}] = Vector3(c + random.uniform(-0.2, 0.2), -r + random.uniform(-0.2, 0.2), 0.0);
    }
  }
  /// The body that others are pinned to at a node, its place there and its direction.
  struct Owner {
    std::string body;
    Vector3 point;
    double angle_rad;
  };
  std::map<std::pair<int, int>, Owner> owner;
  owner[{0, 0}] = {kGround, node[{0, 0}], 0.0};
  const auto add_rod = [&](std::pair<int, int> from, std::pair<int, int> to) {
    const Vector3 way = node[to] - node[from];
    const double angle_rad = std::atan2(way.y(), way.x());
    const std::string name = "rod" + std::to_string(spec.bodies.size());
    const Owner& at = owner.at(from);
    spec.bodies.push_back(rod_along_x(name, way.norm()));
    spec.joints.push_back(pin("pin_" + name, at.body, at.point, name));
    spec.joints.back().initial_q = {angle_rad - at.angle_rad};
    spec.joints.back().initial_u = {random.uniform(-1.0, 1.0)};
    if (owner.contains(to)) {
      const Owner& other = owner.at(to);
      spec.loops.push_back(pin("close_" + name, other.body, other.point, name, along_x(way.norm())));
    } else {
      owner[to] = {name, along_x(way.norm()), angle_rad};
    }
  };
  for (int r = 0; r <= rows; ++r) {
    for (int c = 0; c <= columns; ++c) {
      if (c < columns) add_rod({r, c}, {r, c + 1});
      if (r < rows) add_rod({r, c}, {r + 1, c});
    }
  }
  close_velocities(spec);
  return spec;
}

ModelSpec config(const std::string& name) {
  auto spec = read_model_file(test::config_path(name));
  if (!spec) std::fputs(to_text(spec.error()).c_str(), stderr);
  return std::move(spec).value();
}

}  // namespace kinloop::mechanisms

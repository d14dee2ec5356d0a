// Loops that share bodies: windows side by side, nets of rods, in a plane or of ball joints.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"

namespace kinloop::adversary {
namespace {

/// Bars from the ground up to couplers, one window after the other.
void add_windows(const Site& site, int windows, Random& random, Sketch& sketch) {
  const Real s = site.size_m;
  const bool equal = random.happens(0.3);
  const auto vary = [&](double by) { return s * static_cast<Real>(equal ? 0.0 : random.uniform(-by, by)); };
  const Real lean = s * static_cast<Real>(random.uniform(-0.8, 0.8));
  int bar = sketch.add_body(s);
  sketch.link(JointType::kRevolute, site.base, bar, planar_place(JointType::kRevolute, site, 0, 0, random));
  Real top_x = lean + vary(0.2);
  Real top_y = s + vary(0.3);
  for (int i = 1; i <= windows; ++i) {
    const int coupler = sketch.add_body(s), next = sketch.add_body(s);
    sketch.link(JointType::kRevolute, bar, coupler, planar_place(JointType::kRevolute, site, top_x, top_y, random));
    const Real next_x = s * static_cast<Real>(i) + lean + vary(0.3);
    const Real next_y = s + vary(0.3);
    sketch.link(JointType::kRevolute, coupler, next, planar_place(JointType::kRevolute, site, next_x, next_y, random));
    const Real foot_x = s * static_cast<Real>(i) + vary(0.2);
    const JointType type = random.happens(0.15) ? JointType::kPinSlot : JointType::kRevolute;
    sketch.link(type, next, site.base, planar_place(type, site, foot_x, 0, random));
    bar = next;
    top_x = next_x;
    top_y = next_y;
  }
}

/// Rods between the nodes of a net; at a node all hang on the first that reaches it.
void add_net(const Site& site, int rows, int columns, JointType type, Random& random, Sketch& sketch) {
  const Real s = site.size_m;
  std::map<std::pair<int, int>, PoseR> node;
  for (int r = 0; r <= rows; ++r) {
    for (int c = 0; c <= columns; ++c) {
      const Real x = s * (static_cast<Real>(c) + static_cast<Real>(random.uniform(-0.3, 0.3)));
      const Real y = s * (static_cast<Real>(-r) + static_cast<Real>(random.uniform(-0.3, 0.3)));
      PoseR place = planar_place(type, site, x, y, random);
      if (type == JointType::kRevolute) place.p = (site.frame * PoseR{Matrix3R::Identity(), Vector3R(x, y, 0)}).p;
      node[{r, c}] = place;
    }
  }
  std::map<std::pair<int, int>, int> owner{{{0, 0}, site.base}};
  const auto add_rod = [&](std::pair<int, int> from, std::pair<int, int> to) {
    const int rod = sketch.add_body(s);
    sketch.link(type, owner.at(from), rod, node.at(from));
    if (owner.contains(to)) {
      sketch.links.push_back({type, owner.at(to), rod, node.at(to), true});
    } else {
      owner[to] = rod;
    }
  };
  for (int r = 0; r <= rows; ++r) {
    for (int c = 0; c <= columns; ++c) {
      if (c < columns) add_rod({r, c}, {r, c + 1});
      if (r < rows) add_rod({r, c}, {r + 1, c});
    }
  }
}

}  // namespace

void add_ladder(const Site& site, int bodies, Random& random, Sketch& sketch) {
  const double kind = random.uniform();
  if (kind < 0.5) return add_windows(site, std::max(1, (bodies - 1) / 2), random, sketch);
  const JointType type = kind < 0.85 ? JointType::kRevolute : JointType::kSpherical;
  int rows = 1, columns = 1;  // rods: rows (columns + 1) + columns (rows + 1)
  while (true) {
    int& grown = random.happens(0.5) ? rows : columns;
    ++grown;
    if (rows * (columns + 1) + columns * (rows + 1) <= bodies) continue;
    --grown;
    break;
  }
  add_net(site, rows, columns, type, random, sketch);
}

}  // namespace kinloop::adversary

// Owns Sketch: bodies and the joints between them as they stand in space, before anyone says what is cut where.
#pragma once

#include <vector>

#include "core/model/model_spec.hpp"
#include "tests/adversary/precise.hpp"
#include "tests/support/random.hpp"

namespace kinloop::adversary {

/// A joint between two bodies, with its frame B in the world at the start.
struct Link {
  JointType type;
  int a, b;
  PoseR place;
  bool optional = false;  // may be left out where it would lock the mechanism
};

/// Where a part of a mechanism is to stand: on which body, in which frame, how large.
struct Site {
  int base = 0;
  PoseR frame;
  Real size_m = 1;
  bool spread = false;  // distances of all sizes between 1 mm and 100 m instead
};

/// Body 0 is the ground.
struct Sketch {
  std::vector<Real> size_m{0};  // of every body, where its joints do not say it
  std::vector<Link> links;

  int add_body(Real size) {
    size_m.push_back(size);
    return static_cast<int>(size_m.size()) - 1;
  }
  int body_count() const { return static_cast<int>(size_m.size()); }
  void link(JointType type, int a, int b, const PoseR& place) { links.push_back({type, a, b, place}); }
  void link_if_possible(JointType type, int a, int b, const PoseR& place) {
    links.push_back({type, a, b, place, true});
  }
};

enum class Cutting {
  kAsListed,  // trees grow in the order of the links
  kRandom,    // every link may be the one that closes a loop
  kDeep,      // long chains
};

struct SketchOptions {
  Cutting cutting = Cutting::kRandom;
  bool zero_coordinates = false;  // all coordinates of the tree are zero at the start
  bool aligned_bodies = false;    // body frames are those of one of their joints
  bool mixed_masses = false;      // 1 g to 10 t instead of what suits the size
  bool shuffled = false;          // joints stand in any order
  double universal_rad = 3.0;     // largest angle of universal joints
};

/// Gives joints coordinates and bodies frames and masses; loops are closed to the last digit of their frames.
ModelSpec realized(const Sketch& sketch, const SketchOptions& options, Random& random);

/// The names in a realized sketch; of loops, that of an optional link begins so.
inline const std::string kOptionalLoop = "extra";
std::string name_of_body(int i);

/// Random numbers for sketches; each draws in a fixed order.
Vector3R vector_in(Random& random, Real size);
PoseR pose_in(Random& random, Real size);
PoseR turned_about_z(const PoseR& X, Real angle);
PoseR moved(const PoseR& X, Real x, Real y, Real z);
/// A frame at a point with its z along a direction, turned anyhow about it.
PoseR along(const Vector3R& point, const Vector3R& z, Random& random);
/// A loguniform number.
Real loguniform(Random& random, Real low, Real high);
/// The reach of one joint from the origin of its site.
Real reach_of(const Site& site, Random& random);

}  // namespace kinloop::adversary

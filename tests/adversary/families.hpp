// Owns the list of families: kinds of mechanisms that a seed may draw.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tests/adversary/sketch.hpp"

namespace kinloop::adversary {

/// Adds a mechanism of about `bodies` bodies at a site.
using AddMechanism = void (*)(const Site& site, int bodies, Random& random, Sketch& sketch);

struct Family {
  std::string_view name;
  AddMechanism add;
  int max_bodies;
};

std::span<const Family> families();
/// Those that a seed draws from: all, from a million on. Before there were fewer, and a seed keeps its mechanism.
std::span<const Family> drawn_families(std::uint64_t seed);
const Family* find_family(std::string_view name);

// The parts; each in the file of its name.
void add_spatial(const Site& site, int bodies, Random& random, Sketch& sketch);
void add_planar(const Site& site, int bodies, Random& random, Sketch& sketch);
void add_ladder(const Site& site, int bodies, Random& random, Sketch& sketch);
void add_parallel(const Site& site, int bodies, Random& random, Sketch& sketch);
void add_overconstrained(const Site& site, int bodies, Random& random, Sketch& sketch);
void add_singular(const Site& site, int bodies, Random& random, Sketch& sketch);
void add_nested(const Site& site, int bodies, Random& random, Sketch& sketch);
void add_woven(const Site& site, int bodies, Random& random, Sketch& sketch);

/// Any type; joints of few dofs more often, so that loops have something to hold.
JointType tree_type(Random& random);

/// A hinge of a planar mechanism: z up or down, at some height; a slide lies in the plane.
PoseR planar_place(JointType type, const Site& site, Real x, Real y, Random& random);
/// Bodies in a ring, one joint after the other; the first and the last joint sit on the base.
void add_ring(const Site& site, const std::vector<PoseR>& places, JointType type, Sketch& sketch);

}  // namespace kinloop::adversary

// Draws family, base, sizes, cuts and what acts on the mechanism.
#include "tests/adversary/draw.hpp"

#include <algorithm>
#include <array>

#include "core/base/at.hpp"
#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "tests/adversary/families.hpp"
#include "tests/adversary/loading.hpp"

namespace kinloop::adversary {
namespace {

/// What a seed decides besides the family; all drawn first, so that each seed has the same traits in every family.
struct Traits {
  explicit Traits(Random& random) {
    base = random.uniform();
    cutting = random.uniform();
    small = random.uniform();
    gravity = !random.happens(0.1);
    moving = !random.happens(0.15);
    zero_coordinates = random.happens(0.3);
    aligned_bodies = random.happens(0.3);
    mixed_masses = random.happens(0.2);
    mixed_sizes = random.happens(0.15);
    shuffled = random.happens(0.4);
    massless = random.happens(0.1);
    couplings = random.happens(0.12);
    drives = random.happens(0.12);
    point_springs = random.happens(0.2);
    joint_springs = random.happens(0.2);
    joint_forces = random.happens(0.12);
    rotors = random.happens(0.1);
    damped = random.happens(0.15);
    rate_per_s = random.uniform(0.2, 4.0);
  }

  double base, cutting, small, rate_per_s;
  bool gravity, moving, zero_coordinates, aligned_bodies, mixed_masses, mixed_sizes, shuffled, massless, couplings,
      drives, point_springs, joint_springs, joint_forces, rotors, damped;
};

/// The body that the mechanism stands on: the ground, one that hangs on joints, or one that flies.
int add_base(const Traits& traits, const PoseR& frame, Real size, Random& random, Sketch& sketch, std::string& told) {
  if (traits.base < 0.6) return 0;
  const auto near = [&] {
    const PoseR drawn = pose_in(random, size);
    return PoseR{drawn.R, frame.p + drawn.p};
  };
  int base = 0;
  if (traits.base < 0.8) {
    constexpr std::array kTypes = {JointType::kRevolute,  JointType::kRevolute,  JointType::kPrismatic,
                                   JointType::kUniversal, JointType::kSpherical, JointType::kCylindrical};
    const int links = 1 + random.below(3);
    for (int i = 0; i < links; ++i) {
      const int next = sketch.add_body(size);
      const JointType type = kTypes[at(random.below(static_cast<int>(kTypes.size())))];
      sketch.link(type, base, next, near());
      base = next;
    }
    told += " moving base,";
    return base;
  }
  base = sketch.add_body(size);
  sketch.link(JointType::kFree, 0, base, near());
  told += " floating base,";
  return base;
}

void load(const Traits& traits, Random& random, Draw& draw) {
  const auto tell = [&](bool has, const char* what) {
    if (has) draw.traits += std::string(" ") + what + ",";
    return has;
  };
  if (tell(traits.massless, "massless")) take_masses(random, draw.spec);
  if (tell(traits.couplings, "gears")) add_couplings(1 + random.below(2), random, draw.spec);
  if (tell(traits.drives, "driven")) add_drives(1 + random.below(2), random, draw.spec);
  if (tell(traits.point_springs, "springs")) add_point_springs(traits.damped, random, draw.spec);
  if (tell(traits.joint_springs, "joint springs")) add_joint_springs(traits.damped, random, draw.spec);
  if (tell(traits.joint_forces, "forces")) add_joint_forces(random, draw.spec);
  if (tell(traits.rotors, "rotors")) add_rotors(random, draw.spec);
}

}  // namespace

Draw draw_mechanism(std::uint64_t seed, std::string_view only) {
  Random random(seed ^ 0x6164766572736172ULL);
  Draw draw;
  draw.seed = seed;
  const auto all = drawn_families(seed);
  const Family* family = &all[at(random.below(static_cast<int>(all.size())))];
  if (!only.empty() && find_family(only) != nullptr) family = find_family(only);
  draw.family = family->name;
  const Traits traits(random);

  // Few bodies are drawn as often as many.
  const int bodies = std::max(1, static_cast<int>(loguniform(random, 1.5L, static_cast<Real>(family->max_bodies) + 1)));
  Real size = loguniform(random, 0.3L, 3.0L);
  const Real far = loguniform(random, 1e-3L, 100.0L);
  if (traits.small < 0.15) size = far;
  Site site;
  site.size_m = size;
  site.spread = traits.mixed_sizes;
  site.frame = pose_in(random, 2 * size);
  Sketch sketch;
  const Real base_size = traits.mixed_sizes ? loguniform(random, 1e-3L, 100.0L) : size;
  site.base = add_base(traits, site.frame, base_size, random, sketch, draw.traits);
  family->add(site, bodies, random, sketch);

  SketchOptions options;
  options.cutting =
      traits.cutting < 0.3 ? Cutting::kAsListed : (traits.cutting < 0.75 ? Cutting::kRandom : Cutting::kDeep);
  options.zero_coordinates = traits.zero_coordinates;
  options.aligned_bodies = traits.aligned_bodies;
  options.mixed_masses = traits.mixed_masses;
  options.shuffled = traits.shuffled;
  // Earlier seeds stay what they were: their shafts are never square to each other.
  constexpr std::uint64_t kAnyAngleFrom = 6'000'000;
  if (seed < kAnyAngleFrom) options.universal_rad = 1.15;
  draw.spec = realized(sketch, options, random);
  draw.spec.name = draw.family + std::to_string(seed);
  draw.spec.gravity = traits.gravity ? Vector3(random.rotation() * Vector3(0.0, 0.0, -9.81)) : Vector3::Zero();
  if (traits.mixed_sizes) draw.traits += " mixed sizes,";
  if (traits.mixed_masses) draw.traits += " mixed masses,";
  if (traits.zero_coordinates) draw.traits += " q = 0,";
  draw.left_out = unlock(draw.spec);
  load(traits, random, draw);
  set_speeds(traits.moving ? static_cast<Real>(traits.rate_per_s) : Real(0), random, draw.spec);
  draw.conservative = is_conservative(draw.spec);

  const auto model = compile(draw.spec);
  if (!model) {
    draw.reject = model.error().front().what;
    return draw;
  }
  const Verdict verdict = solve_reference(draw.spec, Topology(draw.spec), initial_situation(draw.spec)).verdict;
  if (verdict != Verdict::kRegular && verdict != Verdict::kAmbiguous) draw.reject = name_of(verdict);
  return draw;
}

}  // namespace kinloop::adversary

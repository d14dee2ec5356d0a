// One function a concern; the limits stand at the top.
#include "services/cli/check_warnings.hpp"

#include <algorithm>
#include <cmath>

#include "services/console/table.hpp"

namespace kinloop::cli {
namespace {

constexpr double kTinyMass = 1e-6;        // share of the whole mechanism's mass
constexpr double kMassRatio = 1e4;        // between neighbours; errors of the light one grow by about this
constexpr double kFarCom = 20.0;          // times the size of the body
constexpr double kOpenLoop = 1e-6;        // of the mechanism's length, or rad
constexpr double kMuchBetterCuts = 10.0;  // quality of others against that of the file's
constexpr double kPoorRank = 1e-6;        // smallest kept pivot
constexpr double kLevel = 1e-3;           // slope against the friction: less is no slope
constexpr double kUnitsOfInertia = 20.0;  // radius of gyration against the size of the body

class Finder {
 public:
  Finder(const Model& model, const CheckReport& report) : model_(model), report_(report) {}

  void warn(std::string where, std::string what) { found_.push_back({std::move(where), std::move(what)}); }
  std::string body(int k) const { return "body " + model_.body_name(k); }
  std::string speed(int i) const { return "joint " + model_.speed_name(i); }
  std::vector<Error> take() { return std::move(found_); }

  void masses() {
    for (int k = 1; k < model_.body_count(); ++k) {
      const double mass = model_.body(k).mass;
      if (mass <= 0.0) continue;
      if (mass < kTinyMass * report_.mass.mass_kg) {
        warn(body(k), "has " + console::plain_number(mass) + " kg in a mechanism of " +
                          console::plain_number(report_.mass.mass_kg) + " kg; make it massless or check its unit");
      }
      const int parent = model_.body(k).parent;
      const double other = model_.body(parent).mass;
      if (parent == 0 || other <= 0.0) continue;
      const double ratio = std::max(mass / other, other / mass);
      if (ratio > kMassRatio) {
        warn(body(k), "and its neighbour " + model_.body_name(parent) + " differ in mass by a factor of " +
                          console::plain_number(ratio) + "; about as many digits are lost between them");
      }
    }
  }

  /// Millimetres taken for metres show up as centres of mass and inertias that do not fit the joints' distances.
  void shapes() {
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body_k = model_.body(k);
      if (body_k.mass <= 0.0) continue;
      const Vector3 com = body_k.first_moment.eigen() / body_k.mass;
      const Matrix3 about_com = body_k.inertia.eigen() + body_k.mass * skew(com) * skew(com);
      const double gyration = std::sqrt(std::max(0.0, about_com.trace() / (2.0 * body_k.mass)));
      const double size = size_of(k);
      if (com.norm() > kFarCom * std::max(size, gyration) && std::max(size, gyration) > 0.0) {
        warn(body(k), "has its centre of mass " + console::plain_number(com.norm()) +
                          " m from its joint, while the body measures " +
                          console::plain_number(std::max(size, gyration)) + " m; check the unit");
      }
      if (size > 0.0 && gyration > kUnitsOfInertia * std::max(size, com.norm())) {
        warn(body(k), "has a radius of gyration of " + console::plain_number(gyration) + " m, while its joints are " +
                          console::plain_number(size) + " m apart; check the unit of its inertia");
      }
    }
  }

  void limits() {
    for (int i = 0; i < model_.nv(); ++i) {
      const CoordinateConstants& c = model_.coordinate(i);
      if (!c.limited) continue;
      const double q = model_.initial_q()[c.q];
      if (q >= c.lower && q <= c.upper) continue;
      warn(speed(i), "starts at " + console::plain_number(q) + ", outside of its limits " +
                         console::plain_number(c.lower) + " to " + console::plain_number(c.upper));
    }
  }

  void loops() {
    bool open = false;
    for (std::size_t i = 0; i < report_.gaps.size(); ++i) {
      const LoopGap& gap = report_.gaps[i];
      if (gap.distance_m <= kOpenLoop * report_.length_m && gap.angle_rad <= kOpenLoop) continue;
      open = true;
      warn("loop " + model_.loops()[i].name, "is open at the start: by " + console::plain_number(gap.distance_m) +
                                                 " m and " + console::plain_number(gap.angle_rad) + " rad");
    }
    const double speeds = std::max(1.0, model_.initial_v().size() > 0 ? model_.initial_v().cwiseAbs().maxCoeff() : 0.0);
    if (!open && report_.largest_speed_error > kOpenLoop * speeds) {
      warn("initial speeds",
           "tear the loops open at " + console::plain_number(report_.largest_speed_error * report_.length_m) + " m/s");
    }
    if (report_.rank.rank > 0 && report_.rank.smallest_kept < kPoorRank) {
      warn("loops", "are close to a singular position: the weakest constraint holds with " +
                        console::short_number(report_.rank.smallest_kept) +
                        " of the strongest; the mobility is uncertain");
    }
    const int expected = model_.nv() - report_.driven - report_.rank.rank;
    if (report_.mobility != expected) {
      warn("driven joints", "contradict the loops: " + std::to_string(report_.mobility - expected) +
                                " of the prescribed motions follow from the others");
    }
    if (report_.cuts && report_.cuts->chosen > kMuchBetterCuts * report_.cuts->given) {
      warn("loops", "are cut where the coordinates lie badly: quality " + console::short_number(report_.cuts->given) +
                        ", and " + console::short_number(report_.cuts->chosen) + " with " +
                        better_cuts(model_, *report_.cuts) + "; cut there, or say 'cuts: auto'");
    }
    if (report_.mobility == 0 && report_.driven == 0 && model_.nv() > 0)
      warn("mechanism", "cannot move: its mobility is 0");
  }

  /// Friction of planes is smoothed (core/forces/contact_law.hpp).
  void slopes() {
    for (std::size_t i = 0; i < model_.planes().size(); ++i) {
      const Plane& plane = model_.planes()[i];
      if (plane.body != 0 || plane.kind != PlaneKind::kFirm || !is_touched(static_cast<int>(i))) continue;
      const Vector3 normal = plane.normal.eigen();
      const double into = -model_.gravity().dot(normal);
      const double along = (model_.gravity() + into * normal).norm();
      const double share = along / (plane.friction * into);
      if (!(into > 0.0) || !(share > kLevel) || !(share < 1.0)) continue;
      warn("plane " + plane.name, "holds what rests on it, but for a creep of " +
                                      console::short_number(plane.friction_speed * std::atanh(share)) +
                                      " m/s down its slope: friction is smoothed, and creeps less with a smaller "
                                      "friction_speed");
    }
  }

  void inertia(const FastestMotion& fastest) {
    if (!fastest.regular) {
      warn("mechanism", "has a motion that moves no inertia; its acceleration is not defined");
    }
  }

 private:
  bool is_touched(int plane) const {
    const auto& points = model_.contact_points();
    return std::any_of(points.begin(), points.end(), [&](const ContactPoint& point) { return point.plane == plane; });
  }

  /// Largest distance from the inboard joint of a body to its other joints and loop frames.
  double size_of(int k) const {
    double size = 0.0;
    for (int child = k + 1; child < model_.body_count(); ++child) {
      if (model_.body(child).parent == k) size = std::max(size, model_.body(child).p_PA.eigen().norm());
    }
    for (const LoopJoint& loop : model_.loops()) {
      if (loop.predecessor == k) size = std::max(size, loop.p_PA.eigen().norm());
      if (loop.successor == k) size = std::max(size, loop.p_SB.eigen().norm());
    }
    return size;
  }

  const Model& model_;
  const CheckReport& report_;
  std::vector<Error> found_;
};

}  // namespace

std::vector<Error> find_warnings(const Model& model, const CheckReport& report, const FastestMotion& fastest) {
  Finder finder(model, report);
  finder.masses();
  finder.shapes();
  finder.limits();
  finder.loops();
  finder.slopes();
  finder.inertia(fastest);
  return finder.take();
}

}  // namespace kinloop::cli

// Draws the joints' frames in space in the closed state; bodies and coordinates are what fits to them.
#include "tests/support/planar_loop.hpp"

#include <Eigen/Geometry>
#include <map>
#include <numbers>

namespace kinloop::mechanisms {
namespace {

Matrix3 turn_z(double angle_rad) { return Eigen::AngleAxisd(angle_rad, Vector3::UnitZ()).toRotationMatrix(); }

JointType type_from(char letter) {
  if (letter == 'P') return JointType::kPrismatic;
  return letter == 'S' ? JointType::kPinSlot : JointType::kRevolute;
}

class Builder {
 public:
  Builder(std::uint64_t seed, const PlanarLoopOptions& options) : random_(seed), options_(options) {
    spec_.name = options.joints + "_" + std::to_string(options.cut) + "_" + std::to_string(seed);
    spec_.gravity = Vector3(1.0, -9.0, 3.0);
    plane_ = random_.pose(3.0 * options.scale_m);
  }

  ModelSpec build() {
    const int n = static_cast<int>(options_.joints.size());
    std::string base = kGround;
    if (options_.moving_base) {
      base = "upper";
      add_body("lower");
      add_body(base);
      spec_.joints.push_back(skew_hinge("lower_hinge", kGround, "lower"));
      spec_.joints.push_back(skew_hinge("upper_hinge", "lower", base));
    }
    for (int i = 0; i + 1 < n; ++i) add_body("link" + std::to_string(i));
    const auto link = [&](int i) { return i < 0 || i == n - 1 ? base : "link" + std::to_string(i); };
    for (int i = 0; i < n; ++i) {
      const bool outward = i < options_.cut || (i == options_.cut && random_.happens(0.5));
      const std::string from = outward ? link(i - 1) : link(i);
      const std::string to = outward ? link(i) : link(i - 1);
      (i == options_.cut ? spec_.loops : spec_.joints).push_back(planar_joint(i, from, to));
    }
    spec_.loops[0].initial_q.clear();  // closing joints have no coordinates in a file
    random_.shuffle(spec_.joints);
    return std::move(spec_);
  }

 private:
  Pose& place_of(const std::string& body) { return body == kGround ? ground_ : places_.at(body); }

  void add_body(const std::string& name) {
    BodySpec body;
    body.name = name;
    body.mass = random_.uniform(0.5, 2.0);
    body.com = random_.vector(0.3 * options_.scale_m);
    body.inertia = 0.2 * body.mass * options_.scale_m * options_.scale_m * Matrix3::Identity();
    spec_.bodies.push_back(body);
    places_[name] = random_.pose(options_.scale_m);
  }

  /// A joint between bodies that stand where they stand, with its frame B at `place`.
  JointSpec joint(const std::string& name, JointType type, const std::string& from, const std::string& to,
                  const Pose& place) {
    JointSpec spec;
    spec.name = name;
    spec.type = type;
    spec.predecessor = from;
    spec.successor = to;
    Pose motion;
    const double angle_rad = random_.uniform(-3.0, 3.0);
    const double distance_m = random_.uniform(-1.0, 1.0) * options_.scale_m;
    if (type == JointType::kRevolute) {
      motion.R = turn_z(angle_rad);
      spec.initial_q = {angle_rad};
    } else if (type == JointType::kPrismatic) {
      motion.p = Vector3(0.0, 0.0, distance_m);
      spec.initial_q = {distance_m};
    } else {
      motion = {turn_z(angle_rad), Vector3(distance_m, 0.0, 0.0)};
      spec.initial_q = {distance_m, angle_rad};
    }
    spec.frame_pred = inverse(place_of(from)) * place * inverse(motion);
    spec.frame_succ = inverse(place_of(to)) * place;
    return spec;
  }

  JointSpec skew_hinge(const std::string& name, const std::string& from, const std::string& to) {
    return joint(name, JointType::kRevolute, from, to, random_.pose(options_.scale_m));
  }

  /// Hinges stand up or down in the plane, slides lie in it; all at some height.
  JointSpec planar_joint(int i, std::string from, std::string to) {
    const JointType type = type_from(options_.joints[static_cast<std::size_t>(i)]);
    Pose place;
    place.p = options_.scale_m * Vector3(random_.uniform(-1.0, 1.0), random_.uniform(-1.0, 1.0), random_.uniform());
    place.R = turn_z(random_.uniform(-3.0, 3.0));
    if (random_.happens(0.5)) place.R *= Eigen::AngleAxisd(std::numbers::pi, Vector3::UnitX()).toRotationMatrix();
    if (type == JointType::kPrismatic) {
      place.R *= Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3::UnitY()).toRotationMatrix();
      place.R *= turn_z(random_.uniform(-3.0, 3.0));
    }
    if (i == 1) place.R = Eigen::AngleAxisd(options_.tilt_rad, Vector3::UnitX()).toRotationMatrix() * place.R;
    place = plane_ * place;
    const std::string name = std::to_string(i);
    if (options_.on_fixed_parts) {
      to = part_of(to, name);
      from = part_of(from, name);
    }
    return joint(name, type, from, to, place);
  }

  /// A tree leads away from the ground: a part can carry a joint only where the joint leads away from it, too.
  std::string part_of(const std::string& body, const std::string& joint_name) {
    if (joint_name != std::to_string(options_.cut)) return body;
    const std::string name = "part_of_" + body;
    add_body(name);
    JointSpec weld;
    weld.name = "weld_" + body;
    weld.type = JointType::kFixed;
    weld.predecessor = body;
    weld.successor = name;
    weld.frame_pred = inverse(place_of(body)) * place_of(name);
    spec_.joints.push_back(weld);
    return name;
  }

  Random random_;
  PlanarLoopOptions options_;
  ModelSpec spec_;
  Pose plane_, ground_;
  std::map<std::string, Pose> places_;
};

}  // namespace

ModelSpec planar_loop(std::uint64_t seed, const PlanarLoopOptions& options) { return Builder(seed, options).build(); }

}  // namespace kinloop::mechanisms

// Implements the merging: places each body on the body it ends up in, then moves everything there.
#include "services/import/merge_fixed.hpp"

#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "services/import/joint_pose.hpp"
#include "services/import/reverse_joint.hpp"

namespace kinloop {
namespace {

constexpr double kMeetDistance_m = 1e-6;
constexpr double kMeetAngle_rad = 1e-6;

/// Where a body of the input is in the output: in `body`, at X_HB.
struct Host {
  std::string body;
  Pose X_HB;
};

/// Moments of mass about the origin of a body: unlike centre and inertia, they add.
struct MassMoments {
  double mass = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();  // inertia about the origin
};

Matrix3 point_inertia(double mass, const Vector3& r) { return mass * skew(r).transpose() * skew(r); }

MassMoments moments_of(const BodySpec& body, const Pose& X_HB) {
  const Vector3 com = X_HB.p + X_HB.R * body.com;
  return {body.mass, body.mass * com, X_HB.R * body.inertia * X_HB.R.transpose() + point_inertia(body.mass, com)};
}

class Merger {
 public:
  explicit Merger(const ModelSpec& spec) : spec_(spec) {}

  ImportResult run() {
    find_hosts();
    ModelSpec& out = model_.spec;
    out = spec_;
    out.bodies.clear();
    out.frames.clear();
    merge_bodies();
    std::erase_if(out.joints, [](const JointSpec& joint) { return joint.type == JointType::kFixed; });
    for (JointSpec& joint : out.joints) move_joint(joint);
    move_loops();
    move_springs();
    move_bushings();
    for (FrameOnBodySpec frame : spec_.frames) {
      frame.pose = on_host(frame.body, frame.pose);
      out.frames.push_back(std::move(frame));
    }
    if (!errors_.empty()) return errors_;
    return std::move(model_);
  }

 private:
  void find_hosts() {
    std::map<std::string, const JointSpec*> inboard;
    for (const JointSpec& joint : spec_.joints) {
      if (joint.type == JointType::kFixed) inboard.emplace(joint.successor, &joint);
    }
    for (const BodySpec& body : spec_.bodies) {
      Host host{body.name, {}};
      // Bounded, so that a cycle among parents, which compile() reports, does not hang here.
      for (std::size_t steps = 0; steps <= spec_.bodies.size(); ++steps) {
        const auto joint = inboard.find(host.body);
        if (joint == inboard.end()) break;
        host.X_HB = joint->second->frame_pred * inverse(joint->second->frame_succ) * host.X_HB;
        host.body = joint->second->predecessor;
      }
      hosts_.emplace(body.name, std::move(host));
    }
  }

  void merge_bodies() {
    std::map<std::string, std::size_t> kept;
    for (const BodySpec& body : spec_.bodies) {
      if (hosts_.at(body.name).body != body.name) continue;
      kept.emplace(body.name, model_.spec.bodies.size());
      model_.spec.bodies.push_back(body);
    }
    std::map<std::string, MassMoments> added;
    for (const BodySpec& body : spec_.bodies) {
      const Host& host = hosts_.at(body.name);
      if (host.body == body.name) continue;
      model_.spec.frames.push_back({body.name, host.body, host.X_HB});
      const auto index = kept.find(host.body);
      if (index == kept.end()) continue;  // the ground
      BodySpec& target = model_.spec.bodies[index->second];
      for (ShapeSpec shape : body.shapes) {
        shape.pose = host.X_HB * shape.pose;
        target.shapes.push_back(std::move(shape));
      }
      if (body.mass == 0.0 && body.inertia.isZero(0.0)) continue;
      auto& sum = added.emplace(host.body, moments_of(target, {})).first->second;
      const MassMoments part = moments_of(body, host.X_HB);
      sum.mass += part.mass;
      sum.first += part.first;
      sum.second += part.second;
    }
    for (const auto& [name, sum] : added) {
      BodySpec& target = model_.spec.bodies[kept.at(name)];
      target.mass = sum.mass;
      if (sum.mass > 0.0) target.com = sum.first / sum.mass;
      const Matrix3 inertia = sum.second - point_inertia(sum.mass, target.com);
      target.inertia = 0.5 * (inertia + inertia.transpose());
    }
  }

  /// Replaces the body by its host and returns the pose there.
  Pose on_host(std::string& body, const Pose& pose) const {
    const auto host = hosts_.find(body);
    if (host == hosts_.end()) return pose;
    body = host->second.body;
    return host->second.X_HB * pose;
  }
  Vector3 on_host(std::string& body, const Vector3& point) const {
    return on_host(body, Pose{Matrix3::Identity(), point}).p;
  }

  void move_joint(JointSpec& joint) const {
    joint.frame_pred = on_host(joint.predecessor, joint.frame_pred);
    joint.frame_succ = on_host(joint.successor, joint.frame_succ);
  }

  void warn_useless(const std::string& what, const std::string& body) {
    model_.warnings.push_back({what, "ignored, since both of its ends are on '" + body + "'"});
  }

  void move_loops() {
    std::vector<JointSpec> loops;
    for (JointSpec loop : spec_.loops) {
      move_joint(loop);
      if (loop.predecessor == loop.successor) {
        check_meets(loop);
        warn_useless("joint '" + loop.name + "'", loop.successor);
        continue;
      }
      if (loop.successor == kGround) {
        Result<JointSpec> backwards = reversed(loop);
        if (!backwards) {
          errors_.push_back(backwards.error());
          continue;
        }
        loop = std::move(backwards).value();
      }
      loops.push_back(std::move(loop));
    }
    model_.spec.loops = std::move(loops);
  }

  void check_meets(const JointSpec& loop) {
    if (loop.type == JointType::kCam)
      return;  // its pose needs the compiled profile; it holds wherever the edge touches
    const Pose X_AB = inverse(loop.frame_pred) * loop.frame_succ;
    const Pose allowed = joint_pose(loop.type, loop.pitch, joint_coordinates(loop.type, loop.pitch, X_AB));
    const double distance_m = (X_AB.p - allowed.p).norm();
    const double angle_rad = (X_AB.R - allowed.R).norm() / std::sqrt(2.0);  // of a small rotation
    if (distance_m <= kMeetDistance_m && angle_rad <= kMeetAngle_rad) return;
    char gap[96];
    std::snprintf(gap, sizeof gap, "%.3g m and %.3g rad", distance_m, angle_rad);
    errors_.push_back({"joint '" + loop.name + "'",
                       "can never be closed: both of its ends are on '" + loop.successor + "', " + gap + " apart"});
  }

  void move_springs() {
    model_.spec.springs = between_bodies(spec_.springs, "spring", [this](SpringSpec& spring) {
      spring.point_a = on_host(spring.body_a, spring.point_a);
      spring.point_b = on_host(spring.body_b, spring.point_b);
    });
  }

  void move_bushings() {
    model_.spec.bushings = between_bodies(spec_.bushings, "bushing", [this](BushingSpec& bushing) {
      bushing.frame_a = on_host(bushing.body_a, bushing.frame_a);
      bushing.frame_b = on_host(bushing.body_b, bushing.frame_b);
    });
  }

  /// All of them, moved, without those whose ends came to be on one body.
  template <class Element, class Move>
  std::vector<Element> between_bodies(const std::vector<Element>& elements, const std::string& kind, Move move) {
    std::vector<Element> kept;
    for (Element element : elements) {
      move(element);
      if (element.body_a == element.body_b) {
        warn_useless(kind + " '" + element.name + "'", element.body_a);
      } else {
        kept.push_back(std::move(element));
      }
    }
    return kept;
  }

  const ModelSpec& spec_;
  std::map<std::string, Host> hosts_;
  ImportedModel model_;
  std::vector<Error> errors_;
};

}  // namespace

ImportResult merge_fixed_joints(const ModelSpec& spec) { return Merger(spec).run(); }

}  // namespace kinloop

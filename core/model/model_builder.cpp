// Turns a ModelSpec into a Model: resolves names, orders the tree, moves everything into reference frames.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/at.hpp"
#include "core/base/field_path.hpp"
#include "core/model/contact_points.hpp"
#include "core/model/model.hpp"
#include "core/model/name_checks.hpp"
#include "core/model/spec_checks.hpp"
#include "core/model/tree_order.hpp"

namespace kinloop {

class ModelBuilder {
 public:
  explicit ModelBuilder(const ModelSpec& spec) : spec_(spec) {}

  Result<Model, CompileErrors> run() {
    check();
    if (!errors_.empty()) return errors_;
    order_bodies();

    model_.spec_ = spec_;
    model_.gravity_ = spec_.gravity;
    for (std::size_t i = 0; i < spec_.bodies.size(); ++i) body_in_file_[spec_.bodies[i].name] = i;
    assign_coordinates();
    add_ground();
    for (const int j : joint_order_) add_body(spec_.joints[at(j)], j);
    for (std::size_t i = 0; i < spec_.loops.size(); ++i) add_loop(spec_.loops[i], i);
    for (const SpringSpec& spring : spec_.springs) add_spring(spring);
    for (const BushingSpec& bushing : spec_.bushings) add_bushing(bushing);
    for (const CouplingSpec& coupling : spec_.couplings) add_coupling(coupling);
    for (const RopeSpec& rope : spec_.ropes) add_rope(rope);
    for (const PlaneSpec& plane : spec_.planes) add_plane(plane);
    for (std::size_t i = 0; i < spec_.contacts.size(); ++i) add_contact(spec_.contacts[i], static_cast<int>(i));
    find_length();
    check_massless_ends();
    if (!errors_.empty()) return errors_;
    return std::move(model_);
  }

 private:
  static bool is_finite(const BodyConstants& body) {
    return body.R_PA.eigen().allFinite() && body.p_PA.eigen().allFinite() && body.inertia.eigen().allFinite() &&
           body.first_moment.eigen().allFinite() && std::isfinite(body.mass);
  }
  void fail(std::string where, std::string what) { errors_.push_back({std::move(where), std::move(what)}); }

  void check() {
    check_entries(spec_, errors_, model_.warnings_);
    const std::size_t other_errors = errors_.size();
    check_given(spec_, errors_);
    check_names(spec_, errors_);
    if (errors_.size() > other_errors) return;
    check_couplings(spec_, errors_);
    check_winches(spec_, errors_);
    check_tree(spec_, errors_);
  }

  /// Numbers the bodies along the tree.
  void order_bodies() {
    joint_order_ = tree_order(spec_);
    body_index_[kGround] = 0;
    for (std::size_t k = 0; k < joint_order_.size(); ++k) {
      const JointSpec& joint = spec_.joints[at(joint_order_[k])];
      body_index_[joint.successor] = static_cast<int>(k) + 1;
    }
  }

  /// Coordinates follow the order of the joints in the file, whatever the order of the tree.
  void assign_coordinates() {
    for (const JointSpec& joint : spec_.joints) {
      q_offset_.push_back(model_.nq_);
      v_offset_.push_back(model_.nv_);
      model_.nq_ += joint_kind(joint.type).nq;
      model_.nv_ += joint_kind(joint.type).nv;
    }
    model_.initial_q_ = VectorX::Zero(model_.nq_);
    model_.initial_v_ = VectorX::Zero(model_.nv_);
    model_.coordinates_.resize(at(model_.nv_));
  }

  void add_ground() {
    BodyConstants ground;
    ground.R_PA = identity3();
    model_.bodies_.push_back(ground);
    model_.parameters_.emplace_back();
    model_.body_frames_.emplace_back();
    model_.body_names_.emplace_back(kGround);
    model_.joint_names_.emplace_back();
  }

  void add_body(const JointSpec& joint, int j) {
    const JointKind& kind = joint_kind(joint.type);
    const int k = model_.body_count();
    const int parent = body_index_.at(joint.predecessor);
    const std::size_t in_file = body_in_file_.at(joint.successor);
    const BodySpec& body = spec_.bodies[in_file];
    const Pose X_B = inverse(orthonormalized(joint.frame_succ));  // the file's body frame in the reference frame B
    const Pose X_PA = model_.body_frame(parent) * orthonormalized(joint.frame_pred);
    const Vector3 com = X_B.p + X_B.R * body.com;

    BodyConstants constants;
    constants.R_PA = Mat3(X_PA.R);
    constants.p_PA = Vec3(X_PA.p);
    const Matrix3 inertia_com = X_B.R * (0.5 * (body.inertia + body.inertia.transpose())) * X_B.R.transpose();
    constants.inertia = Mat3(Matrix3(inertia_com - body.mass * skew(com) * skew(com)));
    constants.first_moment = Vec3(Vector3(body.mass * com));
    constants.mass = body.mass;
    constants.parent = parent;
    constants.joint = joint.type;
    constants.q = q_offset_[at(j)];
    constants.v = v_offset_[at(j)];
    constants.nv = kind.nv;
    constants.evaluate = kind.evaluate;
    if (!is_finite(constants))
      fail(item_path("bodies", in_file), "its mass, inertia or place is too large for a number");

    model_.parameters_.push_back(parameters(joint, item_path("joints", at(j))));
    model_.body_frames_.push_back(X_B);
    model_.body_names_.push_back(body.name);
    model_.joint_names_.push_back(joint.name);
    joint_index_[joint.name] = k;
    if (kind.quaternion >= 0) model_.quaternion_bodies_.push_back(k);
    add_coordinates(joint, j, k, constants);
    model_.bodies_.push_back(constants);
  }

  JointParameters parameters(const JointSpec& joint, const std::string& where) {
    JointParameters result;
    result.pitch = joint.pitch;
    if (joint.profile) result.profile = function(*joint.profile, where + ".profile");
    return result;
  }

  ScalarFunction function(const FunctionSpec& spec, const std::string& where) {
    Result<ScalarFunction> made = ScalarFunction::make(spec, where);
    if (made) return std::move(made).value();
    errors_.push_back(made.error());
    return {};
  }

  void add_coordinates(const JointSpec& joint, int j, int k, BodyConstants& constants) {
    const JointKind& kind = joint_kind(joint.type);
    const int scalar_count = kind.quaternion >= 0 ? kind.quaternion : kind.nv;
    for (int i = 0; i < kind.nv; ++i) {
      CoordinateConstants& c = model_.coordinates_[at(constants.v + i)];
      c.body = k;
      c.q = i < scalar_count ? constants.q + i : -1;
      if (joint.coordinates.empty()) continue;
      const CoordinateSpec& spec = joint.coordinates[at(i)];
      c.stiffness = spec.stiffness;
      c.rest = spec.rest;
      c.damping = spec.damping;
      c.force = spec.force;
      c.dry_friction = spec.dry_friction;
      c.friction_speed = spec.friction_speed;
      c.armature = spec.rotor_inertia * spec.gear_ratio * spec.gear_ratio;
      if (!std::isfinite(c.armature)) {
        fail(item_path("joints", at(j)) + ".coordinates[" + std::to_string(i) + "].rotor_inertia",
             "times the gear ratio squared is too large for a number");
      }
      if (spec.limit) {
        c.limited = true;
        c.lower = spec.limit->lower;
        c.upper = spec.limit->upper;
        c.limit_stiffness = spec.limit->stiffness.value_or(0.0);
        c.limit_damping = spec.limit->damping.value_or(0.0);
      }
      if (spec.motion) {
        constants.driven = true;
        c.motion = static_cast<int>(model_.motions_.size());
        model_.motions_.push_back(
            function(*spec.motion, item_path("joints", at(j)) + ".coordinates[" + std::to_string(i) + "].motion"));
        model_.driven_speeds_.push_back(constants.v + i);
      }
      if (c.has_force()) model_.loaded_speeds_.push_back(constants.v + i);
    }
    set_initial_state(joint, j, constants);
  }

  void set_initial_state(const JointSpec& joint, int j, const BodyConstants& constants) {
    const JointKind& kind = joint_kind(joint.type);
    for (int i = 0; i < kind.nq; ++i) {
      if (!joint.initial_q.empty()) model_.initial_q_[constants.q + i] = joint.initial_q[at(i)];
    }
    if (kind.quaternion >= 0) {
      auto quaternion = model_.initial_q_.segment<4>(constants.q + kind.quaternion);
      if (joint.initial_q.empty()) quaternion << 1.0, 0.0, 0.0, 0.0;
      quaternion.normalize();
    }
    for (int i = 0; i < kind.nv; ++i) {
      if (!joint.initial_u.empty()) model_.initial_v_[constants.v + i] = joint.initial_u[at(i)];
      const CoordinateConstants& c = model_.coordinate(constants.v + i);
      if (c.motion < 0) continue;  // a driven coordinate starts where its motion starts
      const FunctionValue start = model_.motions_[at(c.motion)](0.0);
      model_.initial_q_[c.q] = start.f;
      model_.initial_v_[constants.v + i] = start.d1;
      check_start(start, item_path(item_path("joints", at(j)) + ".coordinates", at(i)) + ".motion");
    }
  }

  void add_loop(const JointSpec& joint, std::size_t i) {
    LoopJoint loop;
    loop.name = joint.name;
    loop.type = joint.type;
    loop.predecessor = body_index_.at(joint.predecessor);
    loop.successor = body_index_.at(joint.successor);
    const Pose X_PA = model_.body_frame(loop.predecessor) * orthonormalized(joint.frame_pred);
    const Pose X_SB = model_.body_frame(loop.successor) * orthonormalized(joint.frame_succ);
    loop.R_PA = Mat3(X_PA.R);
    loop.p_PA = Vec3(X_PA.p);
    loop.R_SB = Mat3(X_SB.R);
    loop.p_SB = Vec3(X_SB.p);
    loop.parameters = parameters(joint, item_path("loops", i));
    add_drives(joint, item_path("loops", i), loop);
    const int root = root_of(loop.predecessor);
    loop.same_root = root > 0 && root == root_of(loop.successor);
    model_.loops_.push_back(std::move(loop));
  }

  void add_drives(const JointSpec& joint, const std::string& where, LoopJoint& loop) {
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      if (!joint.coordinates[i].motion) continue;
      loop.drives.push_back({static_cast<int>(i), static_cast<int>(model_.motions_.size())});
      const std::string here = item_path(where + ".coordinates", i) + ".motion";
      model_.motions_.push_back(function(*joint.coordinates[i].motion, here));
      check_start(model_.motions_.back()(0.0), here);
    }
  }

  void check_start(const FunctionValue& start, const std::string& where) {
    if (!std::isfinite(start.f) || !std::isfinite(start.d1) || !std::isfinite(start.d2)) {
      fail(where, "is too large for a number at time 0");
    }
  }

  /// The first body on the way from the ground to body k.
  int root_of(int k) const {
    while (k > 0 && model_.body(k).parent > 0) k = model_.body(k).parent;
    return k;
  }

  /// The mean distance inside the bodies, then what depends on it.
  void find_length() {
    double sum_m = 0.0;
    int count = 0;
    const auto add = [&](const Vector3& distance) {
      const double length_m = distance.norm();
      if (!(length_m > 0.0)) return;
      sum_m += length_m;
      ++count;
    };
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      if (body.parent > 0) add(body.p_PA.eigen());
      if (body.mass > 0.0) add(body.first_moment.eigen() / body.mass);
    }
    for (const LoopJoint& loop : model_.loops_) {
      if (loop.predecessor > 0) add(loop.p_PA.eigen());
      if (loop.successor > 0) add(loop.p_SB.eigen());
    }
    if (count > 0) model_.length_m_ = sum_m / count;
    std::map<JointType, std::shared_ptr<const JointSubspaces>> of_type;
    for (LoopJoint& loop : model_.loops_) {
      loop.constant = has_constant_directions(loop.type);
      loop.rotation = joint_kind(loop.type).rotation;
      std::shared_ptr<const JointSubspaces>& last = of_type[loop.type];
      if (loop.constant && loop.drives.empty() && last) {  // no joint with constant directions has parameters
        loop.directions = last;
        continue;
      }
      loop.directions = std::make_shared<const JointSubspaces>(
          directions_at_rest(joint_kind(loop.type), loop.parameters, model_.length_m_, loop.driven()));
      if (loop.drives.empty()) last = loop.directions;
    }
  }

  Vec3 point_in_reference(int body, const Vector3& point) const {
    const Pose& X = model_.body_frame(body);
    return Vec3(Vector3(X.p + X.R * point));
  }

  void add_spring(const SpringSpec& spec) {
    const int a = body_index_.at(spec.body_a);
    const int b = body_index_.at(spec.body_b);
    model_.springs_.push_back({spec.name, a, b, point_in_reference(a, spec.point_a),
                               point_in_reference(b, spec.point_b), spec.stiffness, spec.rest_length, spec.damping,
                               spec.force});
  }

  void add_bushing(const BushingSpec& spec) {
    const int a = body_index_.at(spec.body_a);
    const int b = body_index_.at(spec.body_b);
    model_.bushings_.push_back({spec.name, a, b, model_.body_frame(a) * orthonormalized(spec.frame_a),
                                model_.body_frame(b) * orthonormalized(spec.frame_b), spec.stiffness, spec.damping,
                                spec.rotational_stiffness, spec.rotational_damping});
  }

  void add_coupling(const CouplingSpec& spec) {
    const BodyConstants& dependent = model_.body(joint_index_.at(spec.joint));
    const BodyConstants& of = model_.body(joint_index_.at(spec.of));
    model_.couplings_.push_back({spec.name, dependent.q, of.q, dependent.v, of.v, spec.ratio, spec.offset});
  }

  void add_rope(const RopeSpec& spec) {
    Rope rope;
    rope.name = spec.name;
    rope.body_a = body_index_.at(spec.body_a);
    rope.body_b = body_index_.at(spec.body_b);
    rope.point_a = point_in_reference(rope.body_a, spec.point_a);
    rope.point_b = point_in_reference(rope.body_b, spec.point_b);
    rope.length = spec.length;
    rope.stiffness = spec.stiffness;
    rope.dissipation = spec.dissipation;
    if (!spec.winch.empty()) {
      const BodyConstants& drum = model_.body(joint_index_.at(spec.winch));
      rope.q_winch = drum.q;
      rope.v_winch = drum.v;
      rope.pay_out = spec.pay_out;
    }
    model_.ropes_.push_back(std::move(rope));
  }

  void add_plane(const PlaneSpec& spec) {
    const int body = body_index_.at(spec.body);
    const Pose frame = model_.body_frame(body) * orthonormalized(spec.frame);
    model_.planes_.push_back({spec.name, body, Vec3(frame.p), Vec3(Vector3(frame.R.col(2))), spec.kind, spec.stiffness,
                              spec.dissipation, spec.friction, spec.friction_speed, spec.digging, spec.max_force});
  }

  void add_contact(const ContactSpec& spec, int contact) {
    const int body = body_index_.at(spec.body);
    const Pose pose = model_.body_frame(body) * orthonormalized(spec.pose);
    const double radius = spec.shape == ContactShape::kSphere ? spec.size[0] : 0.0;
    for (int plane = 0; plane < static_cast<int>(model_.planes_.size()); ++plane) {
      const Plane& side = model_.planes_[at(plane)];
      const bool is_named = std::find(spec.planes.begin(), spec.planes.end(), side.name) != spec.planes.end();
      if (side.body == body || !(spec.planes.empty() || is_named)) continue;
      for (const Vector3& point : contact_points(spec)) {
        model_.contact_points_.push_back({contact, plane, body, Vec3(Vector3(pose.p + pose.R * point)), radius});
      }
    }
  }

  /// A joint that can move must move some mass, else its acceleration is not defined.
  void check_massless_ends() {
    std::vector<double> moved(at(model_.body_count()), 0.0);
    for (int k = model_.body_count() - 1; k > 0; --k) {
      const auto index = at(k);
      moved[index] += model_.body(k).mass;
      moved[at(model_.body(k).parent)] += moved[index];
      bool inert = model_.body(k).nv > 0 && moved[index] == 0.0;
      for (int i = 0; i < model_.body(k).nv; ++i) {
        const CoordinateConstants& c = model_.coordinate(model_.body(k).v + i);
        if (c.armature > 0.0 || c.motion >= 0) inert = false;
      }
      if (inert && model_.loops_.empty()) {
        fail(item_path("joints", at(joint_order_[index - 1])),
             "moves no mass: body '" + model_.body_name(k) + "' and all beyond it are massless");
      }
    }
  }

  const ModelSpec& spec_;
  Model model_;
  CompileErrors errors_;
  std::map<std::string, int> body_index_;
  std::map<std::string, int> joint_index_;  // of the body it leads to
  std::map<std::string, std::size_t> body_in_file_;
  std::vector<int> joint_order_;          // joint of body k is joints[joint_order_[k - 1]]
  std::vector<int> q_offset_, v_offset_;  // per joint of the file
};

Result<Model, CompileErrors> build_model(const ModelSpec& spec) { return ModelBuilder(spec).run(); }

}  // namespace kinloop

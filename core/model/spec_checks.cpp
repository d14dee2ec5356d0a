// Implements the checks: every problem is reported, with the path of its field.
#include "core/model/spec_checks.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <map>
#include <string_view>

#include "core/base/at.hpp"
#include "core/base/field_path.hpp"
#include "core/joints/joint.hpp"

namespace kinloop {
namespace {

constexpr double kSymmetryTolerance = 1e-9;  // relative to the largest entry
constexpr double kRotationTolerance = 1e-6;  // what a file written with seven digits keeps
constexpr double kTriangleTolerance = 1e-9;
constexpr double kRoundingTolerance = 1e-12;  // of moments, relative to the largest

class Checker {
 public:
  explicit Checker(std::vector<Error>& errors) : errors_(errors) {}

  void fail(const std::string& where, const std::string& what) { errors_.push_back({where, what}); }

  void rotation(const std::string& where, const Matrix3& R) {
    const double deviation = (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff();
    if (!(deviation <= kRotationTolerance)) {
      fail(where, "is no rotation: its columns are not orthonormal");
    } else if (R.determinant() < 0.0) {
      fail(where, "is a reflection, not a rotation");
    }
  }

  void positive(const std::string& where, double value) {
    if (!(value > 0.0)) fail(where, "must be positive");
  }

  void not_negative(const std::string& where, double value) {
    if (!(value >= 0.0)) fail(where, "must not be negative");
  }

  void not_negative(const std::string& where, const Vector3& values) {
    if (!(values.minCoeff() >= 0.0)) fail(where, "must not be negative");
  }

 private:
  std::vector<Error>& errors_;
};

/// Which joints have exactly one coordinate.
class SingleCoordinates {
 public:
  explicit SingleCoordinates(const ModelSpec& spec) {
    for (const JointSpec& joint : spec.joints) types_[joint.name] = joint.type;
  }

  void check(const std::string& where, const std::string& name, std::vector<Error>& errors) const {
    if (joint_kind(types_.at(name)).nv != 1) {
      errors.push_back({where, "joint '" + name + "' has not exactly one coordinate"});
    }
  }

 private:
  std::map<std::string_view, JointType> types_;
};

void check_coordinates(const JointSpec& joint, const std::string& where, Checker& check) {
  const JointKind& kind = joint_kind(joint.type);
  const auto nv = static_cast<std::size_t>(kind.nv);
  if (!joint.coordinates.empty() && joint.coordinates.size() != nv) {
    check.fail(where + ".coordinates", "a " + std::string(kind.name) + " joint has " + std::to_string(nv) +
                                           " coordinates, not " + std::to_string(joint.coordinates.size()));
    return;
  }
  const std::size_t scalars = kind.quaternion >= 0 ? static_cast<std::size_t>(kind.quaternion) : nv;
  for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
    const CoordinateSpec& c = joint.coordinates[i];
    const std::string here = where + ".coordinates[" + std::to_string(i) + "]";
    check.not_negative(here + ".damping", c.damping);
    check.not_negative(here + ".dry_friction", c.dry_friction);
    check.not_negative(here + ".rotor_inertia", c.rotor_inertia);
    if (!(c.friction_speed > 0.0)) check.fail(here + ".friction_speed", "must be positive");
    if (i >= scalars && (c.stiffness != 0.0 || c.limit || c.motion)) {
      check.fail(here, "springs, limits and motions need a scalar coordinate, this one is part of a rotation");
    }
    if (c.limit) {
      if (!(c.limit->lower < c.limit->upper)) check.fail(here + ".limit", "lower must be less than upper");
      check.not_negative(here + ".limit.stiffness", c.limit->stiffness.value_or(0.0));
      check.not_negative(here + ".limit.damping", c.limit->damping.value_or(0.0));
    }
  }
}

void check_initial(const JointSpec& joint, const std::string& where, Checker& check) {
  const JointKind& kind = joint_kind(joint.type);
  const auto sized = [&](const std::vector<double>& values, int size, const char* field) {
    if (values.empty() || values.size() == at(size)) return true;
    check.fail(where + field, "a " + std::string(kind.name) + " joint needs " + std::to_string(size) + " values, not " +
                                  std::to_string(values.size()));
    return false;
  };
  const bool q_fits = sized(joint.initial_q, kind.nq, ".q");
  sized(joint.initial_u, kind.nv, ".u");
  if (q_fits && kind.quaternion >= 0 && !joint.initial_q.empty()) {
    double norm2 = 0.0;
    for (int i = 0; i < 4; ++i) norm2 += std::pow(joint.initial_q[at(kind.quaternion + i)], 2);
    if (!(std::abs(norm2 - 1.0) < 1e-3)) check.fail(where + ".q", "the quaternion (w, x, y, z) must have length 1");
  }
}

void check_joint(const JointSpec& joint, const std::string& where, Checker& check) {
  check.rotation(where + ".frame_pred", joint.frame_pred.R);
  check.rotation(where + ".frame_succ", joint.frame_succ.R);
  if (joint.type == JointType::kCam && !joint.profile) check.fail(where, "a cam joint needs a profile");
  if (joint.type != JointType::kCam && joint.profile) check.fail(where + ".profile", "only a cam joint has a profile");
}

void check_bodies(const ModelSpec& spec, Checker& check, std::vector<Error>& warnings) {
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    const std::string where = item_path("bodies", i);
    check.not_negative(where + ".mass", body.mass);
    if (!body.inertia.allFinite()) {
      check.fail(where + ".inertia", "is not finite");
      continue;
    }
    const double scale = body.inertia.cwiseAbs().maxCoeff();
    if (scale == 0.0) continue;  // a point mass or a massless link
    if (body.mass == 0.0) check.fail(where + ".inertia", "a massless body cannot have inertia");
    if (!((body.inertia - body.inertia.transpose()).cwiseAbs().maxCoeff() <= kSymmetryTolerance * scale)) {
      check.fail(where + ".inertia", "is not symmetric");
      continue;
    }
    const Vector3 principal =
        Eigen::SelfAdjointEigenSolver<Matrix3>(body.inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(principal[0] >= -kRoundingTolerance * principal[2])) {  // a thin rod has one moment that is zero
      check.fail(where + ".inertia", "has a negative principal moment");
    } else if (principal[0] + principal[1] < principal[2] * (1.0 - kTriangleTolerance)) {
      warnings.push_back({where + ".inertia", "no rigid body has this inertia: it breaks the triangle inequality"});
    }
  }
}

/// What acts along the coordinates of a joint needs them in the state; a motion needs them not.
void check_loop_coordinates(const JointSpec& loop, const std::string& where, Checker& check) {
  if (!loop.initial_q.empty() || !loop.initial_u.empty()) {
    check.fail(where, "a loop joint starts as the tree has it: it has no q or u of its own");
  }
  for (std::size_t i = 0; i < loop.coordinates.size(); ++i) {
    const CoordinateSpec& c = loop.coordinates[i];
    if (c.stiffness == 0.0 && c.damping == 0.0 && c.force == 0.0 && c.dry_friction == 0.0 && c.rotor_inertia == 0.0 &&
        !c.limit) {
      continue;
    }
    check.fail(
        item_path(where + ".coordinates", i),
        "of a joint that closes a loop only a motion can be prescribed; springs, friction, forces, rotors and "
        "stops need a joint of the tree: list this joint under joints, and another of the same loop under loops");
  }
}

void check_joints(const ModelSpec& spec, Checker& check) {
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    const std::string where = item_path("joints", i);
    check_joint(spec.joints[i], where, check);
    check_coordinates(spec.joints[i], where, check);
    check_initial(spec.joints[i], where, check);
  }
  for (std::size_t i = 0; i < spec.loops.size(); ++i) {
    const std::string where = item_path("loops", i);
    check_joint(spec.loops[i], where, check);
    check_coordinates(spec.loops[i], where, check);
    check_loop_coordinates(spec.loops[i], where, check);
  }
}

void check_force_elements(const ModelSpec& spec, Checker& check) {
  for (std::size_t i = 0; i < spec.springs.size(); ++i) {
    const SpringSpec& spring = spec.springs[i];
    const std::string where = item_path("springs", i);
    check.not_negative(where + ".rest_length", spring.rest_length);
    check.not_negative(where + ".damping", spring.damping);
  }
  for (std::size_t i = 0; i < spec.bushings.size(); ++i) {
    const BushingSpec& bushing = spec.bushings[i];
    const std::string where = item_path("bushings", i);
    check.not_negative(where + ".damping", bushing.damping);
    check.not_negative(where + ".rotational_damping", bushing.rotational_damping);
    check.rotation(where + ".frame_a", bushing.frame_a.R);
    check.rotation(where + ".frame_b", bushing.frame_b.R);
  }
  for (std::size_t i = 0; i < spec.ropes.size(); ++i) {
    const RopeSpec& rope = spec.ropes[i];
    const std::string where = item_path("ropes", i);
    check.not_negative(where + ".length", rope.length);
    check.positive(where + ".stiffness", rope.stiffness);
    check.not_negative(where + ".dissipation", rope.dissipation);
  }
  for (std::size_t i = 0; i < spec.frames.size(); ++i) {
    check.rotation(item_path("frames", i) + ".pose", spec.frames[i].pose.R);
  }
}

void check_contact(const ModelSpec& spec, Checker& check) {
  for (std::size_t i = 0; i < spec.planes.size(); ++i) {
    const PlaneSpec& plane = spec.planes[i];
    const std::string where = item_path("planes", i);
    check.rotation(where + ".pose", plane.frame.R);
    check.positive(where + ".stiffness", plane.stiffness);
    check.not_negative(where + ".dissipation", plane.dissipation);
    check.not_negative(where + ".friction", plane.friction);
    check.positive(where + ".friction_speed", plane.friction_speed);
    check.not_negative(where + ".digging", plane.digging);
    if (plane.kind == PlaneKind::kSoil) check.positive(where + ".max_force", plane.max_force);
  }
  for (std::size_t i = 0; i < spec.contacts.size(); ++i) {
    const ContactSpec& contact = spec.contacts[i];
    const std::string where = item_path("contacts", i);
    check.rotation(where + ".pose", contact.pose.R);
    if (contact.shape == ContactShape::kSphere) {
      check.not_negative(where + ".radius", contact.size[0]);
    } else {
      check.not_negative(where + ".size", contact.size);
    }
  }
}

}  // namespace

void check_entries(const ModelSpec& spec, std::vector<Error>& errors, std::vector<Error>& warnings) {
  Checker check(errors);
  check_bodies(spec, check, warnings);
  check_joints(spec, check);
  check_force_elements(spec, check);
  check_contact(spec, check);
}

void check_couplings(const ModelSpec& spec, std::vector<Error>& errors) {
  const SingleCoordinates single(spec);
  for (std::size_t i = 0; i < spec.couplings.size(); ++i) {
    single.check(item_path("couplings", i) + ".joint", spec.couplings[i].joint, errors);
    single.check(item_path("couplings", i) + ".of", spec.couplings[i].of, errors);
  }
}

void check_winches(const ModelSpec& spec, std::vector<Error>& errors) {
  const SingleCoordinates single(spec);
  for (std::size_t i = 0; i < spec.ropes.size(); ++i) {
    if (!spec.ropes[i].winch.empty()) single.check(item_path("ropes", i) + ".winch", spec.ropes[i].winch, errors);
  }
}

Pose orthonormalized(const Pose& pose) {
  if ((pose.R.transpose() * pose.R - Matrix3::Identity()).cwiseAbs().maxCoeff() < 1e-15) return pose;
  const Eigen::JacobiSVD<Matrix3> svd(pose.R, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU() * svd.matrixV().transpose(), pose.p};
}

}  // namespace kinloop

// Owns the reading of test vectors ("mbs-vectors-1"): a model, states of it and what is expected there.
//
// The files are made by an independent solver and hold SI units; README.md beside them describes every field.
// A trajectory file has the same model, an initial state and no cases.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"
#include "services/files/yaml_document.hpp"

namespace kinloop {

struct ExpectedBody {
  std::string name;
  Matrix3 R;
  Vector3 p, omega, v_origin, alpha, a_origin, a_com;  // world axes
};

/// Total wrench that the predecessor exerts on the successor, moment about the origin of joint frame B; world axes.
struct ExpectedReaction {
  std::string joint;
  Vector3 force, moment;
  std::array<bool, 6> unique{};  // fx, fy, fz, mx, my, mz: whether statics determine this component
};

struct ExpectedValues {
  std::vector<double> udot;
  std::vector<ExpectedBody> bodies;
  std::vector<ExpectedReaction> reactions;
  // Counted over all joints of the mechanism, those of the tree included: dof = 6 bodies - rank.
  int dof = 0, rank = 0, constraint_rows = 0;
  double kinetic_energy = 0.0, potential_energy = 0.0;
};

struct AppliedWrench {
  std::string body;
  Vector3 point, force, moment;  // point in the body frame, the others in world axes
};

struct VectorCase {
  std::string kind;  // rest, free, forced
  std::vector<double> q, u, tau;
  std::vector<AppliedWrench> external;
  ExpectedValues expected;
};

struct VectorFile {
  ModelSpec spec;                 // starts at the first case, or at the start of the trajectory
  std::vector<double> tau;        // that acts there, one entry per speed
  std::vector<VectorCase> cases;  // none in a trajectory file
};

/// Whether a file claims to be of this kind.
bool is_vector_file(const YamlNode& root) noexcept;

/// Every problem is reported at once, with its place.
Result<VectorFile, std::vector<Error>> read_vector_file(const YamlDocument& document);

}  // namespace kinloop

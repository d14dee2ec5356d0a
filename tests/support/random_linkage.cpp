// Builds random mechanisms with closed loops.
#include <cmath>
#include <vector>

#include "core/constraints/constraint_rank.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop::mechanisms {
namespace {

std::string random_linkage_body_name(int i) { return i == 0 ? kGround : "body" + std::to_string(i); }

/// The file's body frames in the world, in the initial state.
Pose pose_of(const Model& model, const Workspace& ws, const std::string& name) {
  if (name == kGround) return {};
  const BodyOutput output = body_output(model, ws, model.find_body(name));
  return {output.R, output.p};
}

Workspace at_start(const Model& model) {
  Workspace ws(model);
  const State state(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);
  return ws;
}

FunctionSpec random_linkage_random_profile(Random& random) {
  FunctionSpec profile;
  profile.polynomial = {0.5};
  const double c = random.uniform(-0.1, 0.1);
  profile.harmonics = {{c, random.uniform(-0.1, 0.1)}};
  return profile;
}

/// Where a joint of this kind puts its frame B in A, at random coordinates.
Pose random_joint_pose(const JointKind& kind, const JointParameters& parameters, Random& random) {
  std::array<double, 7> q{};
  const std::array<double, 6> at_rest{};
  for (int i = 0; i < kind.nq; ++i) q[static_cast<std::size_t>(i)] = random.uniform(-1.0, 1.0);
  if (kind.quaternion >= 0) {
    const Eigen::Vector4d quaternion = random.unit_quaternion();
    for (int i = 0; i < 4; ++i) q[static_cast<std::size_t>(kind.quaternion + i)] = quaternion[i];
  }
  JointMotion motion;
  kind.evaluate(parameters, q.data(), at_rest.data(), motion);
  return {motion.R.eigen(), motion.p.eigen()};
}

/// Frame B anywhere on the successor, frame A on the predecessor so that the joint is closed as the bodies stand.
JointSpec random_loop(const std::string& name, int n, const Model& model, const Workspace& ws, Random& random) {
  const JointKind& kind = joint_kinds()[static_cast<std::size_t>(random.below(static_cast<int>(joint_kinds().size())))];
  const int a = random.below(n + 1);
  const int b = (a + 1 + random.below(n)) % (n + 1);
  JointSpec loop;
  loop.name = name;
  loop.type = kind.type;
  loop.predecessor = random_linkage_body_name(a);
  loop.successor = random_linkage_body_name(b);
  JointParameters parameters;
  if (kind.type == JointType::kScrew) parameters.pitch = loop.pitch = random.uniform(-0.2, 0.2);
  if (kind.type == JointType::kCam) {
    loop.profile = random_linkage_random_profile(random);
    parameters.profile = std::move(ScalarFunction::make(*loop.profile, "profile")).value();
  }
  loop.frame_succ = random.pose(0.3);
  const Pose X_WB = pose_of(model, ws, loop.successor) * loop.frame_succ;
  const Pose X_WA = X_WB * inverse(random_joint_pose(kind, parameters, random));
  loop.frame_pred = inverse(pose_of(model, ws, loop.predecessor)) * X_WA;
  return loop;
}

/// Whether the mechanism can still move, its drives can run, and it stands well clear of singular positions.
bool is_usable(const Model& model, double least_share) {
  const Workspace ws = at_start(model);
  const ConstraintRank of_free = constraint_rank(model, ws, RankOf::kFreeSpeeds);
  const ConstraintRank of_all = constraint_rank(model, ws, RankOf::kAllSpeeds);
  const int free_speeds = model.nv() - static_cast<int>(model.driven_speeds().size());
  return of_free.rank < free_speeds && of_free.rank == of_all.rank &&
         (of_free.rank == 0 || of_free.smallest_kept > least_share) && of_free.largest_dropped < 1e-11;
}

void add_loops(int n, const LinkageOptions& options, Random& random, ModelSpec& spec) {
  const Model tree = compiled(spec);
  const Workspace ws = at_start(tree);
  for (int i = 0; i < options.loops; ++i) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      ModelSpec with = spec;
      with.loops.push_back(random_loop("loop" + std::to_string(i), n, tree, ws, random));
      if (!is_usable(compiled(with), options.least_share)) continue;
      spec = std::move(with);
      break;
    }
  }
}

void add_couplings(const LinkageOptions& options, Random& random, ModelSpec& spec) {
  std::vector<const JointSpec*> single;
  for (const JointSpec& joint : spec.joints) {
    if (joint_kind(joint.type).nv == 1) single.push_back(&joint);
  }
  const Model model = compiled(spec);
  const auto start = [&](const JointSpec& joint) {
    return model.initial_q()[model.body(model.find_joint(joint.name)).q];
  };
  for (int i = 0; i < options.couplings && single.size() >= 2; ++i) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const auto count = static_cast<int>(single.size());
      const int a = random.below(count);
      const JointSpec& dependent = *single[static_cast<std::size_t>(a)];
      const JointSpec& of = *single[static_cast<std::size_t>((a + 1 + random.below(count - 1)) % count)];
      ModelSpec with = spec;
      const double ratio = random.uniform(-2.0, 2.0);
      with.couplings.push_back(
          {"coupling" + std::to_string(i), dependent.name, of.name, ratio, start(dependent) - ratio * start(of)});
      if (!is_usable(compiled(with), options.least_share)) continue;
      spec.couplings = with.couplings;
      break;
    }
  }
}

/// Only bodies that carry one with mass on a joint of one dof: all their own dofs then move mass.
void take_masses(Random& random, ModelSpec& spec) {
  for (BodySpec& body : spec.bodies) {
    const auto own = std::find_if(spec.joints.begin(), spec.joints.end(),
                                  [&](const JointSpec& joint) { return joint.successor == body.name; });
    const bool carries = std::any_of(spec.joints.begin(), spec.joints.end(), [&](const JointSpec& joint) {
      if (joint.predecessor != body.name || joint_kind(joint.type).nv > 1) return false;
      return std::any_of(spec.bodies.begin(), spec.bodies.end(),
                         [&](const BodySpec& next) { return next.name == joint.successor && next.mass > 0.0; });
    });
    if (!carries || joint_kind(own->type).nv > 3 || !random.happens(0.7)) continue;
    body.mass = 0.0;
    body.inertia.setZero();
  }
}

}  // namespace

int dofs(const Model& model) {
  const int free_speeds = model.nv() - static_cast<int>(model.driven_speeds().size());
  return free_speeds - constraint_rank(model, at_start(model), RankOf::kFreeSpeeds).rank;
}

std::vector<std::string_view> methods_for(const Model& model) {
  std::vector<std::string_view> names;
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (kind.refusal(model).empty()) names.push_back(kind.name);
  }
  return names;
}

void close_velocities(ModelSpec& spec) {
  const Model model = compiled(spec);
  if (!model.has_loops()) return;
  const auto dynamics = std::move(make_dynamics("semi_recursive_1", model)).value();
  State state(model);
  Workspace ws(model);
  ConstraintTarget motion(model);
  VectorX step = VectorX::Zero(model.nv());
  for (int pass = 0; pass < 2; ++pass) {  // the second takes the rounding of the first
    if (accelerations(model, state, Loads(model), *dynamics, ws) != StepStatus::kOk) return;
    velocity_correction(model, ws, motion);
    dynamics->project(motion, step);
    state.v() += step;
  }
  int at = 0;
  for (JointSpec& joint : spec.joints) {
    const int nv = joint_kind(joint.type).nv;
    joint.initial_u.assign(state.v().data() + at, state.v().data() + at + nv);
    at += nv;
  }
}

LinkageOptions linkage_options_in_turn(int i) {
  LinkageOptions options;
  options.tree = tree_options_in_turn(i);
  options.tree.chain = i % 3 == 0;
  options.massless = i % 5 == 0;
  options.couplings = i % 4 == 0 ? 1 + i % 3 : 0;
  options.loops = 1 + i % 7;
  return options;
}

ModelSpec random_linkage(std::uint64_t seed, int n, const LinkageOptions& options) {
  Random random(seed ^ 0x6c696e6b61676573ULL);
  ModelSpec spec = random_tree(seed, n, options.tree);
  spec.name = "random_linkage" + std::to_string(n) + "_" + std::to_string(seed);
  if (options.massless) take_masses(random, spec);
  add_loops(n, options, random, spec);
  add_couplings(options, random, spec);
  close_velocities(spec);
  return spec;
}

}  // namespace kinloop::mechanisms

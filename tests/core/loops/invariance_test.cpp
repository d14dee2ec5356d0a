// Tests that a mechanism moves alike however it is described: place, order of the file, joint at which loops are cut.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/constraints/constraint_rank.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

constexpr int kInvarianceLinkages = 60;
// Shares above 1e-2 lose two of sixteen digits, the second description again so many.
constexpr double kTolerance = 1e-10;

ModelSpec invariance_linkage_number(int i, mechanisms::TreeOptions tree = {}) {
  mechanisms::LinkageOptions options;
  options.tree = tree;
  options.loops = 1 + i % 4;
  options.least_share = 1e-2;
  return mechanisms::random_linkage(static_cast<std::uint64_t>(300 + i), 3 + i % 10, options);
}

/// Accelerations of all bodies by name.
struct Accelerated {
  Accelerated(const ModelSpec& spec, std::string_view method) : model(mechanisms::compiled(spec)), ws(model) {
    const State state(model);
    EXPECT_EQ(accelerations(model, state, Loads(model), **make_dynamics(method, model), ws), StepStatus::kOk);
  }
  BodyOutput body(const std::string& name) const { return body_output(model, ws, model.find_body(name)); }

  Model model;
  Workspace ws;
};

double size_of(const Accelerated& a) { return 1.0 + a.ws.vdot.lpNorm<Eigen::Infinity>(); }

TEST(Invariance, OfAccelerationsUnderAChangeOfPlace) {
  mechanisms::TreeOptions tree;
  tree.springs = tree.bushings = tree.joint_forces = tree.driven = true;
  for (int i = 0; i < kInvarianceLinkages; ++i) {
    const ModelSpec here = invariance_linkage_number(i, tree);
    Random random(static_cast<std::uint64_t>(i));
    const ModelSpec there = mechanisms::placed(here, random.pose(10.0));
    for (const std::string_view name : mechanisms::methods_for(mechanisms::compiled(here))) {
      const Accelerated a(here, name);

      const Accelerated b(there, name);

      EXPECT_LT((a.ws.vdot - b.ws.vdot).lpNorm<Eigen::Infinity>(), kTolerance * size_of(a)) << name << ' ' << i;
    }
  }
}

TEST(Invariance, OfAPlanarFourBarUnderAnyOrientation) {
  const ModelSpec flat = mechanisms::four_bar();
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const ModelSpec turned = mechanisms::placed(flat, random.pose(3.0));
    for (const std::string_view name : mechanisms::methods_for(mechanisms::compiled(flat))) {
      const Accelerated a(flat, name);

      const Accelerated b(turned, name);

      EXPECT_LT((a.ws.vdot - b.ws.vdot).lpNorm<Eigen::Infinity>(), kTolerance * size_of(a)) << name;
    }
  }
}

TEST(Invariance, OfAccelerationsUnderTheOrderOfTheFile) {
  for (int i = 0; i < kInvarianceLinkages; ++i) {
    const ModelSpec first = invariance_linkage_number(i);
    ModelSpec second = first;
    Random random(static_cast<std::uint64_t>(i));
    random.shuffle(second.bodies);
    random.shuffle(second.joints);
    random.shuffle(second.loops);
    for (const std::string_view name : mechanisms::methods_for(mechanisms::compiled(first))) {
      const Accelerated a(first, name);

      const Accelerated b(second, name);

      for (int k = 1; k < a.model.body_count(); ++k) {
        const BodyConstants& x = a.model.body(k);
        const BodyConstants& y = b.model.body(b.model.find_joint(a.model.joint_name(k)));
        const double difference = (a.ws.vdot.segment(x.v, x.nv) - b.ws.vdot.segment(y.v, y.nv)).norm();
        EXPECT_LT(difference, kTolerance * size_of(a)) << name << ' ' << i << ' ' << a.model.joint_name(k);
      }
    }
  }
}

bool hangs_on(const Model& model, int body, int ancestor) {
  while (body > ancestor) body = model.body(body).parent;
  return body == ancestor;
}

/// Makes loop joint `l` the inboard joint of its successor, whose old one closes the loop instead. False if the
/// predecessor hangs on the successor, so that this gives no tree.
bool swap_cut(const ModelSpec& spec, std::size_t l, ModelSpec& out) {
  const Model model = mechanisms::compiled(spec);
  const LoopJoint& loop = model.loops()[l];
  if (loop.successor == 0 || hangs_on(model, loop.predecessor, loop.successor)) return false;
  const State state(model);
  Workspace ws(model);
  EXPECT_EQ(accelerations(model, state, Loads(model), **make_dynamics("semi_recursive_1", model), ws), StepStatus::kOk);
  out = spec;
  const auto inboard = std::find_if(out.joints.begin(), out.joints.end(),
                                    [&](const JointSpec& joint) { return joint.successor == spec.loops[l].successor; });
  std::swap(*inboard, out.loops[l]);
  out.loops[l].initial_q.clear();
  out.loops[l].initial_u.clear();
  out.loops[l].coordinates.clear();

  const JointKind& kind = joint_kind(loop.type);
  const std::array<double, 7> q = closing_coordinates(loop, ws);
  const std::array<double, 6> at_rest{};
  JointMotion motion;
  kind.evaluate(loop.parameters, q.data(), at_rest.data(), motion);
  const Mat3 R_AW = transposed(ws.motion[static_cast<std::size_t>(loop.predecessor)].R * loop.R_PA);
  Vector6 twist;
  twist << (R_AW * ws.loop_constraint[l].rate.angular).eigen(), (R_AW * ws.loop_constraint[l].rate.linear).eigen();
  MatrixX H(6, kind.nv);
  for (int i = 0; i < kind.nv; ++i) {
    const auto c = static_cast<std::size_t>(i);
    H.col(i) << motion.Hw[c].eigen(), motion.Hv[c].eigen();
  }
  const VectorX u = kind.nv > 0 ? VectorX(dense::shortest_solution(H, twist, 1e-12)) : VectorX();
  inboard->initial_q.assign(q.begin(), q.begin() + kind.nq);
  inboard->initial_u.assign(u.begin(), u.end());
  return true;
}

TEST(Invariance, OfAccelerationsUnderTheChoiceOfTheCut) {
  int compared = 0;
  for (int i = 0; i < kInvarianceLinkages; ++i) {
    const ModelSpec first = invariance_linkage_number(i);
    for (std::size_t l = 0; l < first.loops.size(); ++l) {
      ModelSpec second;
      if (!swap_cut(first, l, second)) continue;
      ++compared;
      for (const std::string_view name : mechanisms::methods_for(mechanisms::compiled(first))) {
        const Accelerated a(first, name);

        const Accelerated b(second, name);

        for (int k = 1; k < a.model.body_count(); ++k) {
          const BodyOutput x = a.body(a.model.body_name(k));
          const BodyOutput y = b.body(a.model.body_name(k));
          const double scale = size_of(a) + size_of(b);
          EXPECT_LT((x.p - y.p).norm() + (x.R - y.R).norm(), 1e-12 * scale) << i << ' ' << l;
          EXPECT_LT((x.omega - y.omega).norm() + (x.v_origin - y.v_origin).norm(), kTolerance * scale) << i << ' ' << l;
          EXPECT_LT((x.alpha - y.alpha).norm(), kTolerance * scale) << name << ' ' << i << ' ' << l;
          EXPECT_LT((x.a_origin - y.a_origin).norm(), kTolerance * scale) << name << ' ' << i << ' ' << l;
        }
      }
    }
  }
  EXPECT_GT(compared, kInvarianceLinkages);
}

}  // namespace
}  // namespace kinloop

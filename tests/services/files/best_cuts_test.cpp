// Tests `cuts: auto`: the mechanism opened at other joints moves as the file's.
#include "services/files/best_cuts.hpp"

#include <gtest/gtest.h>

#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/body_output.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/model_text.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;

/// The largest difference of the accelerations of all bodies, against the largest of them.
double difference_of_accelerations(const Model& a, const Model& b) {
  Workspace in_a(a);
  Workspace in_b(b);
  EXPECT_EQ(accelerations(a, State(a), Loads(a), **make_dynamics("auto", a), in_a), StepStatus::kOk);
  EXPECT_EQ(accelerations(b, State(b), Loads(b), **make_dynamics("auto", b), in_b), StepStatus::kOk);
  double worst = 0.0;
  double largest = 1.0;
  for (int k = 1; k < a.body_count(); ++k) {
    const BodyOutput here = body_output(a, in_a, k);
    const BodyOutput there = body_output(b, in_b, b.find_body(a.body_name(k)));
    worst = std::max(worst, (here.a_origin - there.a_origin).norm() + (here.alpha - there.alpha).norm());
    worst = std::max(worst, (here.v_origin - there.v_origin).norm() + (here.omega - there.omega).norm());
    worst = std::max(worst, (here.p - there.p).norm());
    largest = std::max({largest, here.a_origin.norm(), here.alpha.norm()});
  }
  return worst / largest;
}

TEST(BestCuts, LeaveTheMotionAsItIsWhereverTheLoopIsCut) {
  int exchanged = 0;
  for (const char* name : {"four_bar", "slider_crank", "five_bar", "andrews_squeezer", "double_wishbone", "bricard"}) {
    const Model model = compiled(mechanisms::config(name));
    for (int k = 1; k < model.body_count(); ++k) {
      for (std::size_t l = 0; l < model.loops().size(); ++l) {
        std::vector<CutJoint> cuts;
        for (std::size_t i = 0; i < model.loops().size(); ++i) cuts.push_back({-1, static_cast<int>(i)});
        cuts[l] = {k, -1};
        const Result<ModelSpec> spec = with_cuts(model, cuts);
        if (!spec) continue;
        bool keeps_forces = true;  // what acts along a joint that is cut would be lost
        const BodyConstants& body = model.body(k);
        for (int i = body.v; i < body.v + body.nv; ++i) {
          keeps_forces = keeps_forces && !model.coordinate(i).has_force() && model.coordinate(i).armature == 0.0;
        }
        const Result<Model, CompileErrors> other = compile(*spec);
        if (!keeps_forces || !other) continue;  // a cut that leaves no tree
        ++exchanged;

        EXPECT_LT(difference_of_accelerations(model, *other), 1e-10) << name << ' ' << model.joint_name(k) << ' ' << l;
      }
    }
  }
  EXPECT_GT(exchanged, 15);
}

constexpr const char* kMasslessCrank = R"(kinloop: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: rocker, mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}
  - {name: coupler, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  - {name: crank, mass: 0}
joints:
  - {name: at_rocker, type: revolute, predecessor: ground, successor: rocker, frame_pred: {p: [1, 0, 0]}, q: 90 deg}
  - {name: knee, type: revolute, predecessor: rocker, successor: coupler, frame_pred: {p: [1, 0, 0]}, q: 90 deg}
  - {name: elbow, type: revolute, predecessor: coupler, successor: crank, frame_pred: {p: [1, 0, 0]}, q: 90 deg}
loops:
  - {name: at_crank, type: revolute, predecessor: ground, successor: crank, frame_succ: {p: [1, 0, 0]}}
)";

TEST(BestCuts, AreMadeByAModelThatAsksForThem) {
  const auto given = compile_model_text(kMasslessCrank, "given.yaml");
  const auto chosen = compile_model_text(std::string("cuts: auto\n") + kMasslessCrank, "chosen.yaml");
  ASSERT_TRUE(given);
  ASSERT_TRUE(chosen);

  EXPECT_LT(given->model.find_joint("at_crank"), 0);
  EXPECT_GE(chosen->model.find_joint("at_crank"), 0) << "the crank hangs on two joints";
  EXPECT_GE(chosen->model.find_joint("elbow"), 0);
  EXPECT_LT(difference_of_accelerations(given->model, chosen->model), 1e-10);
}

}  // namespace
}  // namespace kinloop

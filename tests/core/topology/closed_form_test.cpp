// Tests positions in closed form: against numeric closing, over whole turns, on both branches, and where there are
// none.
#include "core/topology/closed_form.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "core/constraints/assembly.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/planar_loop.hpp"

namespace kinloop {
namespace {

constexpr double kClosedFormTurn = 2.0 * std::numbers::pi;

double open_by(const Model& model, const VectorX& q) {
  Workspace ws(model);
  const VectorX v = VectorX::Zero(model.nv());
  update_kinematics(model, q.data(), v.data(), 0.0, ws);
  update_loop_constraints(model, q.data(), v.data(), 0.0, ws);
  return closure_error(ws);
}

IndexedVector<char> only(const Model& model, int speed) {
  IndexedVector<char> given(static_cast<std::size_t>(model.nv()), 0);
  given[static_cast<std::size_t>(speed)] = 1;
  return given;
}

int speed_of(const Model& model, const char* joint) { return model.body(model.find_joint(joint)).v; }

/// Moves one coordinate of a mechanism of one dof, and compares with numeric closing on the way.
void expect_whole_turn(const Model& model, const char* joint, VectorX q) {
  constexpr int kSteps = 360;
  const int speed = speed_of(model, joint);
  const IndexedVector<char> given = only(model, speed);
  ClosedForm closed_form(model);
  const VectorX start = q;
  for (int i = 0; i < kSteps; ++i) {
    const VectorX before = q;
    q[model.coordinate(speed).q] += kClosedFormTurn / kSteps;
    const Assembly numeric = assemble(model, q, VectorX::Zero(model.nv()), given);

    const IndexedVector<LoopPlacement>& placements = closed_form.place(given, q);

    for (const LoopPlacement placement : placements) ASSERT_EQ(placement, LoopPlacement::kPlaced) << i;
    ASSERT_TRUE(numeric.closed) << i;
    EXPECT_LT((q - numeric.q).lpNorm<Eigen::Infinity>(), 1e-12) << i;
    EXPECT_LT((q - before).lpNorm<Eigen::Infinity>(), 0.2) << i;  // no jumps by turns or branches
    EXPECT_LT(open_by(model, q), 1e-14) << i;
  }
  VectorX turned = (q - start).array() / kClosedFormTurn;
  for (double& turns : turned) turns -= std::round(turns);
  EXPECT_LT(turned.lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST(ClosedForm, FollowsACrankRockerOverAWholeTurn) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());

  expect_whole_turn(model, "O1", model.initial_q());
}

TEST(ClosedForm, FollowsTheOtherBranchOfACrankRocker) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  ClosedForm closed_form(model);
  VectorX q = model.initial_q();
  q[2] = -q[2];  // the angle between coupler and rocker tells the branches apart
  closed_form.place(only(model, 0), q);
  ASSERT_GT((q - model.initial_q()).norm(), 0.5);

  expect_whole_turn(model, "O1", q);
}

TEST(ClosedForm, FollowsASliderCrankOverAWholeTurn) {
  const Model model = mechanisms::compiled(mechanisms::config("slider_crank"));

  expect_whole_turn(model, "A", model.initial_q());
}

TEST(ClosedForm, FollowsAQuickReturnOverAWholeTurn) {
  const Model model = mechanisms::compiled(mechanisms::config("quick_return"));

  expect_whole_turn(model, "J3", model.initial_q());  // crank against lever: the crank's own angle closes the loop
}

struct Tally {
  int compared = 0, refused = 0;
};

/// Walks along one coordinate of a random loop; the others must follow as numeric closing finds them.
Tally walk(const Model& model, int speed, double step) {
  IndexedVector<char> given = only(model, speed);
  for (const char* base : {"lower_hinge", "upper_hinge"}) {
    if (model.find_joint(base) > 0) given[static_cast<std::size_t>(speed_of(model, base))] = 1;
  }
  ClosedForm closed_form(model);
  VectorX q = model.initial_q();
  Tally tally;
  for (int i = 0; i < 10; ++i) {
    VectorX next = q;
    next[model.coordinate(speed).q] += step;
    const VectorX asked = next;

    const IndexedVector<LoopPlacement>& placements = closed_form.place(given, next);

    if (placements[0] != LoopPlacement::kPlaced) {
      EXPECT_EQ(next, asked) << model.name();
      ++tally.refused;
      return tally;
    }
    EXPECT_LT(open_by(model, next), 1e-13) << model.name();
    // Where the others move much faster than the one that is given, numeric closing may end on the other branch.
    if ((next - q).lpNorm<Eigen::Infinity>() < 3.0 * std::abs(step)) {
      const Assembly numeric = assemble(model, asked, VectorX::Zero(model.nv()), given);
      // Numeric closing stops at 1e-13; near a dead centre, at the most a hundred times that is left in coordinates.
      EXPECT_LT((next - numeric.q).lpNorm<Eigen::Infinity>(), 1e-11) << model.name();
      ++tally.compared;
    }
    q = next;
  }
  return tally;
}

TEST(ClosedForm, AgreesWithNumericClosingOnRandomLoops) {
  Tally sum;
  std::uint64_t seed = 100;
  for (const char* joints : {"RRRR", "PRRR", "RPRR", "RRPR", "RRRP", "RRPP", "RPRP", "RPPR", "PRRP", "PRPR", "PPRR",
                             "SRR", "RSR", "RRS", "SS", "SPR"}) {
    const int count = static_cast<int>(std::string(joints).size());
    for (int cut = 0; cut < count; ++cut) {
      for (int i = 0; i < 20; ++i) {
        const ModelSpec spec =
            mechanisms::planar_loop(++seed, {.joints = joints, .cut = cut, .moving_base = i % 2 == 1});
        const Model model = mechanisms::compiled(spec);
        for (int speed = 0; speed < model.nv(); ++speed) {
          const std::string& name = model.joint_name(model.coordinate(speed).body);
          if (name.size() > 1) continue;  // of the base
          const Tally tally = walk(model, speed, seed % 2 == 0 ? 0.01 : -0.01);
          sum.compared += tally.compared;
          sum.refused += tally.refused;
        }
      }
    }
  }
  EXPECT_GT(sum.compared, 20'000);
  EXPECT_LT(sum.refused, sum.compared / 20);
}

TEST(ClosedForm, PassesKnownCoordinatesFromWindowToWindow) {
  const Model model = mechanisms::compiled(mechanisms::n_four_bar(5, 0.7, 1.0));
  ClosedForm closed_form(model);
  for (int speed = 0; speed < model.nv(); ++speed) {
    VectorX q = model.initial_q();
    q[speed] += q[speed] > 0.0 ? 0.1 : -0.1;
    const VectorX wanted = (q.array() > 0.0).select(VectorX::Constant(q.size(), 0.8), -0.8);

    const IndexedVector<LoopPlacement>& placements = closed_form.place(only(model, speed), q);

    for (const LoopPlacement placement : placements) EXPECT_EQ(placement, LoopPlacement::kPlaced);
    EXPECT_LT((q - wanted).lpNorm<Eigen::Infinity>(), 1e-13) << speed;
  }
}

TEST(ClosedForm, LeavesLoopsAloneThatNothingDetermines) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  ClosedForm closed_form(model);
  VectorX q = model.initial_q();
  q[0] += 0.1;
  const VectorX asked = q;

  for (const IndexedVector<char>& given : {IndexedVector<char>{0, 0, 0}, IndexedVector<char>{1, 1, 0}}) {
    const IndexedVector<LoopPlacement>& placements = closed_form.place(given, q);

    EXPECT_EQ(placements[0], LoopPlacement::kUndetermined);
    EXPECT_EQ(q, asked);
  }
}

TEST(ClosedForm, ReportsWhatCannotBeReached) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  ClosedForm closed_form(model);
  VectorX q = model.initial_q();
  q[2] = 0.0;  // coupler and rocker in line: longer than crank and base together
  const VectorX asked = q;

  const IndexedVector<LoopPlacement>& placements = closed_form.place(only(model, 2), q);

  EXPECT_EQ(placements[0], LoopPlacement::kApart);
  EXPECT_EQ(q, asked);
}

TEST(ClosedForm, RefusesDeadCentres) {
  const Model model = mechanisms::compiled(mechanisms::n_four_bar(3, 0.0, 1.0));
  ClosedForm closed_form(model);
  for (int speed = 0; speed < model.nv(); ++speed) {
    VectorX q = model.initial_q();
    q[speed] += 1e-3;
    const VectorX asked = q;

    const IndexedVector<LoopPlacement>& placements = closed_form.place(only(model, speed), q);

    for (const LoopPlacement placement : placements) EXPECT_NE(placement, LoopPlacement::kPlaced);
    EXPECT_EQ(q, asked) << speed;
  }
}

TEST(ClosedForm, KeepsWhatIsNotFiniteToItself) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  ClosedForm closed_form(model);
  VectorX q = model.initial_q();
  q[0] = std::numeric_limits<double>::quiet_NaN();

  const IndexedVector<LoopPlacement>& placements = closed_form.place(only(model, 0), q);

  EXPECT_NE(placements[0], LoopPlacement::kPlaced);
  EXPECT_EQ(q[1], model.initial_q()[1]);
  EXPECT_EQ(q[2], model.initial_q()[2]);
}

TEST(ClosedForm, KeepsCountOfTurns) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  ClosedForm closed_form(model);
  VectorX q = model.initial_q();
  q[0] += 1000.0 * kClosedFormTurn;
  q[1] -= 1000.0 * kClosedFormTurn;
  const VectorX asked = q;

  closed_form.place(only(model, 0), q);

  EXPECT_LT((q - asked).lpNorm<Eigen::Infinity>(), 1e-11);  // a number of 6000 has steps of 1e-12
}

TEST(ClosedForm, DoesNotAllocate) {
  const Model model = mechanisms::compiled(mechanisms::n_four_bar(5, 0.7, 1.0));
  ClosedForm closed_form(model);
  const IndexedVector<char> given = only(model, 4);
  VectorX q = model.initial_q();
  q[4] += 0.01;

  const AllocationCount allocations;
  const IndexedVector<LoopPlacement>& placements = closed_form.place(given, q);

  EXPECT_EQ(allocations.value(), 0);
  EXPECT_EQ(placements[0], LoopPlacement::kPlaced);
}

}  // namespace
}  // namespace kinloop

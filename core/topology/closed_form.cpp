// Goes from known coordinates through the loops they belong to, as far as that leads.
#include "core/topology/closed_form.hpp"

#include <cmath>
#include <numbers>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

constexpr std::size_t kJointsOfFourBar = 4;

/// What a joint does between its frames, along the path of the loop.
PlanarPose motion_of(const PlanarJoint& joint, double value) noexcept {
  if (joint.dof == PlanarDof::kTurn) return {{}, joint.sign * value};
  return {{joint.sign * value, 0.0}, 0.0};
}

}  // namespace

ClosedForm::ClosedForm(const Model& model)
    : planar_(model),
      loops_of_(planar_.variables.size()),
      value_(planar_.variables.size(), 0.0),
      known_(planar_.variables.size(), 0),
      known_count_(planar_.loops.size(), 0),
      placements_(planar_.loops.size(), LoopPlacement::kUndetermined) {
  for (int l = 0; l < planar_.loops.count(); ++l) {
    for (const PlanarJoint& joint : planar_.loops[l].joints) {
      loops_of_[joint.variable].push_back(l);
    }
  }
  ready_.reserve(planar_.loops.size());
}

/// Closing joints have no place in q: theirs follow from the other joints of the loop. Turns first, since they need
/// nothing but angles.
void ClosedForm::measure_closings(const PlanarLoop& loop) noexcept {
  for (const PlanarDof dof : {PlanarDof::kTurn, PlanarDof::kSlide}) {
    for (std::size_t k = 0; k < kJointsOfFourBar; ++k) {
      const PlanarJoint& own = loop.joints[k];
      if (own.dof != dof || planar_.variables[own.variable].closing != loop.closing) continue;
      PlanarPose rest = own.link;
      for (std::size_t i = 1; i < kJointsOfFourBar; ++i) {
        const PlanarJoint& joint = loop.joints[(k + i) % kJointsOfFourBar];
        rest = rest * motion_of(joint, value_[joint.variable]) * joint.link;
      }
      const PlanarPose motion = inverse(rest);
      value_[own.variable] = own.sign * (dof == PlanarDof::kTurn ? motion.angle_rad : motion.p.x);
    }
  }
}

LoopPlacement ClosedForm::solve(const PlanarLoop& loop) noexcept {
  std::size_t k = 0;
  while (known_[loop.joints[k].variable] == 0) ++k;
  const auto joint = [&](std::size_t i) -> const PlanarJoint& { return loop.joints[(k + i) % kJointsOfFourBar]; };
  Dyad dyad;
  dyad.joints = {joint(1).dof, joint(2).dof, joint(3).dof};
  dyad.link1 = joint(1).link;
  dyad.link2 = joint(2).link;
  // The known joint makes one rigid base of the two links beside it.
  dyad.whole = inverse(joint(3).link * motion_of(joint(0), value_[joint(0).variable]) * joint(0).link);
  dyad.size_m = loop.size_m;
  const DyadSolution solution = solve_dyad(dyad, joint(2).sign * value_[joint(2).variable]);
  if (solution.status == DyadStatus::kApart) return LoopPlacement::kApart;
  if (solution.status == DyadStatus::kFlat) return LoopPlacement::kFlat;
  for (std::size_t i = 0; i < 3; ++i) {
    const PlanarJoint& found = joint(i + 1);
    double& value = value_[found.variable];
    const double change = found.sign * solution.places[i] - value;
    value += found.dof == PlanarDof::kTurn ? std::remainder(change, 2.0 * std::numbers::pi) : change;
  }
  for (std::size_t i = 1; i < kJointsOfFourBar; ++i) mark_known(joint(i).variable);
  return LoopPlacement::kPlaced;
}

void ClosedForm::mark_known(int variable) noexcept {
  known_[variable] = 1;
  for (const int l : loops_of_[variable]) {
    if (++known_count_[l] == 1) ready_.push_back(l);
  }
}

const IndexedVector<LoopPlacement>& ClosedForm::place(const IndexedVector<char>& given, VectorX& q) noexcept {
  ready_.clear();
  for (int l = 0; l < planar_.loops.count(); ++l) {
    known_count_[l] = 0;
    placements_[l] = LoopPlacement::kUndetermined;
  }
  for (int i = 0; i < planar_.variables.count(); ++i) {
    if (planar_.variables[i].q >= 0) value_[i] = q[planar_.variables[i].q];
    known_[i] = 0;
  }
  for (const PlanarLoop& loop : planar_.loops) measure_closings(loop);
  for (int i = 0; i < planar_.variables.count(); ++i) {
    const int speed = planar_.variables[i].speed;
    if (speed >= 0 && given[speed] != 0) mark_known(i);
  }
  while (!ready_.empty()) {
    const int l = ready_.back();
    ready_.pop_back();
    // A second coordinate may have become known while the loop was waiting.
    if (known_count_[l] == 1) placements_[l] = solve(planar_.loops[l]);
  }
  for (int i = 0; i < planar_.variables.count(); ++i) {
    if (planar_.variables[i].q >= 0 && known_[i] != 0) q[planar_.variables[i].q] = value_[i];
  }
  return placements_;
}

}  // namespace kinloop

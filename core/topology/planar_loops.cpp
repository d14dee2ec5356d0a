// Finds cycles of four dofs, carries the plane's normal once around each, and flattens those that stay in a plane.
#include "core/topology/planar_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/topology/joint_cycles.hpp"

namespace kinloop {
namespace {

constexpr std::size_t kJointsOfLoop = 4;
/// Axes that differ by more than constraints may do without counting as different would lock the loop.
constexpr double kParallel = kRankTolerance;

/// One dof of a cycle, in space. Its frames before and behind share the axes below.
struct LoopDof {
  JointPass pass;
  PlanarDof dof = PlanarDof::kTurn;
  Vector3 along = Vector3::UnitX();  // x of the plane: of a slide its direction, of a hinge any direction square to it
  Pose link;                         // frame before the next dof in the one behind this
  int nearest = std::numeric_limits<int>::max();  // of the link: joints to the ground
  Vector3 normal = Vector3::UnitZ();
};

using Dofs = IndexedVector<LoopDof>;

/// Frames of the joint on the bodies that a pass comes from and leads to.
struct PassFrames {
  Pose from, to;
};

PassFrames frames_of(const Model& model, const JointPass& pass) {
  Pose A;
  Pose B;
  if (pass.loop >= 0) {
    const LoopJoint& loop = model.loops()[pass.loop];
    A = {loop.R_PA.eigen(), loop.p_PA.eigen()};
    B = {loop.R_SB.eigen(), loop.p_SB.eigen()};
  } else {
    A = {model.body(pass.joint).R_PA.eigen(), model.body(pass.joint).p_PA.eigen()};
  }
  if (pass.direction == PassDirection::kToSuccessor) return {A, B};
  return {B, A};
}

/// A pin in a slot slides along x, then turns about z: two dofs with nothing between them.
void add_dofs(const Model& model, const JointPass& pass, Dofs& out) {
  const LoopDof turn{pass, PlanarDof::kTurn, Vector3::UnitX(), {}};
  switch (joint_kind(type_of(model, pass)).planar) {
    case PlanarRole::kSlideAndTurn: {
      const LoopDof slide{pass, PlanarDof::kSlide, Vector3::UnitX(), {}};
      const bool slides_first = pass.direction == PassDirection::kToSuccessor;
      out.push_back(slides_first ? slide : turn);
      out.push_back(slides_first ? turn : slide);
      return;
    }
    case PlanarRole::kSlide:
      out.push_back({pass, PlanarDof::kSlide, Vector3::UnitZ(), {}});
      return;
    case PlanarRole::kTurn:
      out.push_back(turn);
      return;
    case PlanarRole::kRigid:
    case PlanarRole::kNone:
      return;
  }
}

Dofs dofs_of(const Model& model, const JointCycles& graph, const JointCycle& cycle) {
  Dofs result;
  Pose body;        // the present body in the frame behind the last dof, or, before the first, in the first body
  Pose first_link;  // from the first body to the first dof
  int first_nearest = graph.distance(ends_of(model, cycle.front()).from);
  for (const JointPass& pass : cycle) {
    const PassFrames frames = frames_of(model, pass);
    const int nearest = graph.distance(ends_of(model, pass).to);
    const Pose joint = body * frames.from;
    body = inverse(frames.to);
    if (planar_dofs(type_of(model, pass)) == 0) {
      body = joint * body;
    } else {
      (result.empty() ? first_link : result.back().link) = joint;
      add_dofs(model, pass, result);
    }
    int& link_nearest = result.empty() ? first_nearest : result.back().nearest;
    link_nearest = std::min(link_nearest, nearest);
  }
  result.back().link = body * first_link;
  result.back().nearest = std::min(result.back().nearest, first_nearest);
  return result;
}

/// Carries the axis of a hinge once around; false where another joint does not fit to it.
bool find_normals(Dofs& dofs) {
  const auto turns = [](const LoopDof& f) { return f.dof == PlanarDof::kTurn; };
  const auto first = std::find_if(dofs.begin(), dofs.end(), turns);
  if (std::count_if(dofs.begin(), dofs.end(), turns) < 2) return false;
  std::rotate(dofs.begin(), first, dofs.end());
  Vector3 normal = Vector3::UnitZ();
  for (std::size_t i = 0; i < kJointsOfLoop; ++i) {
    dofs[i].normal = normal;
    normal = dofs[i].link.R.transpose() * normal;
    const LoopDof& next = dofs[(i + 1) % kJointsOfLoop];
    if (turns(next)) {
      if (std::hypot(normal.x(), normal.y()) > kParallel) return false;
      normal = Vector3(0.0, 0.0, normal.z() < 0.0 ? -1.0 : 1.0);
    } else {
      if (std::abs(normal.dot(next.along)) > kParallel) return false;
      normal = (normal - normal.dot(next.along) * next.along).normalized();
    }
  }
  return normal.z() > 0.0;  // the other way round no configuration closes the loop
}

PlanarPose flattened(const LoopDof& from, const LoopDof& to) {
  const Vector3 y = skew(from.normal) * from.along;
  const Vector3 next_x = from.link.R * to.along;
  return {{from.link.p.dot(from.along), from.link.p.dot(y)}, std::atan2(next_x.dot(y), next_x.dot(from.along))};
}

double sign_of(const LoopDof& f) {
  const double direction = f.pass.direction == PassDirection::kToSuccessor ? 1.0 : -1.0;
  return f.dof == PlanarDof::kTurn ? direction * f.normal.z() : direction;
}

PlanarLinkage linkage_from(const Dofs& dofs) {
  const auto slides = [](const LoopDof& f) { return f.dof == PlanarDof::kSlide; };
  const auto count = std::count_if(dofs.begin(), dofs.end(), slides);
  if (count == 0) return PlanarLinkage::kFourBar;
  if (count > 1) return PlanarLinkage::kDoubleSlider;
  const auto slide = std::find_if(dofs.begin(), dofs.end(), slides);
  const LoopDof& before = slide == dofs.begin() ? dofs.back() : *(slide - 1);
  int base = slide->nearest;
  for (const LoopDof& f : dofs) base = std::min(base, f.nearest);
  return slide->nearest == base || before.nearest == base ? PlanarLinkage::kSliderCrank : PlanarLinkage::kQuickReturn;
}

/// Numbers the coordinates as loops ask for them.
class Numbering {
 public:
  explicit Numbering(const Model& model)
      : model_(model), of_q_(at(model.nq()), -1), of_closing_(model.loops().size(), {-1, -1}) {}

  int variable(const LoopDof& f, IndexedVector<LoopVariable>& variables) {
    const bool turns = f.dof == PlanarDof::kTurn;
    // The place among the coordinates of its joint: a pin in a slot slides with the first.
    const bool slides_too = joint_kind(type_of(model_, f.pass)).planar == PlanarRole::kSlideAndTurn;
    const int place = turns && slides_too ? 1 : 0;
    LoopVariable variable;
    variable.dof = f.dof;
    if (f.pass.loop >= 0) {
      variable.closing = f.pass.loop;
    } else {
      variable.q = model_.body(f.pass.joint).q + place;
      variable.speed = model_.body(f.pass.joint).v + place;
    }
    int& number = f.pass.loop >= 0 ? of_closing_[f.pass.loop][place] : of_q_[variable.q];
    if (number < 0) {
      number = variables.count();
      variables.push_back(variable);
    }
    return number;
  }

 private:
  const Model& model_;
  IndexedVector<int> of_q_;
  IndexedVector<std::array<int, 2>> of_closing_;
};

}  // namespace

std::string_view name_of(PlanarLinkage linkage) noexcept {
  switch (linkage) {
    case PlanarLinkage::kFourBar:
      return "four-bar";
    case PlanarLinkage::kSliderCrank:
      return "slider-crank";
    case PlanarLinkage::kQuickReturn:
      return "quick-return";
    case PlanarLinkage::kDoubleSlider:
      return "double slider";
  }
  return "unknown";
}

PlanarLoops::PlanarLoops(const Model& model) {
  const JointCycles graph(model);
  Numbering numbering(model);
  const std::size_t count = model.loops().size();
  IndexedVector<char> found(count, 0);
  IndexedVector<IndexedVector<int>> waiting(count);  // per closing joint: those whose cycle may lead through it

  const auto recognise = [&](int closing) {
    if (!model.loops()[at(closing)].drives.empty()) return false;  // its coordinate is not the fourth unknown
    IndexedVector<int> blocked_by;
    for (const JointCycle& cycle : graph.through(closing, kJointsOfLoop, found, blocked_by)) {
      Dofs dofs = dofs_of(model, graph, cycle);
      if (!find_normals(dofs)) continue;
      PlanarLoop loop;
      loop.closing = closing;
      loop.linkage = linkage_from(dofs);
      for (std::size_t i = 0; i < kJointsOfLoop; ++i) {
        const LoopDof& f = dofs[i];
        const PlanarPose link = flattened(f, dofs[(i + 1) % kJointsOfLoop]);
        loop.joints[i] = {numbering.variable(f, variables), f.dof, sign_of(f), link};
        loop.size_m = std::max(loop.size_m, length(link.p));
      }
      loops.push_back(loop);
      return true;
    }
    for (const int other : blocked_by) waiting[other].push_back(closing);
    return false;
  };

  // Each loop that is found may open the way for those that wait for its closing joint.
  for (std::size_t l = 0; l < count; ++l) {
    IndexedVector<int> to_try{static_cast<int>(l)};
    while (!to_try.empty()) {
      const int closing = to_try.back();
      to_try.pop_back();
      if (found[closing] != 0 || !recognise(closing)) continue;
      found[closing] = 1;
      to_try.insert(to_try.end(), waiting[closing].begin(), waiting[closing].end());
      waiting[closing].clear();
    }
  }
}

std::optional<PlanarLinkage> PlanarLoops::linkage_of(int closing) const noexcept {
  for (const PlanarLoop& loop : loops) {
    if (loop.closing == closing) return loop.linkage;
  }
  return std::nullopt;
}

}  // namespace kinloop

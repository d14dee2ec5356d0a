// Solves in the null space of the constraints; driven speeds are known beforehand.
#include "tests/adversary/reference.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "tests/adversary/singular_values.hpp"
#include "tests/adversary/tree_forces.hpp"

namespace kinloop::adversary {
namespace {

// A singular value of less than this is one that rounding of the description left (frames are written with 16 digits);
// with rows and columns of size 1 regular mechanisms stay above 1e-5.
constexpr Real kZero = 1e-10L;
// The engine counts shares below 1e-9 as dependent (docs): nearer to that than ten times both answers are right.
constexpr Real kNearSingular = 1e-8L;
constexpr Real kClearGap = 1e3L;
// Dependent rows that ask for different accelerations by more than this share.
constexpr Real kContradiction = 1e-7L;
constexpr Real kNoMass = 1e-16L;
// Of the heaviest coordinate: less is what rounding of the null space lets leak into a direction that moves nothing
// (1e-32 and below). A gram that turns at a millimetre beside ten tonnes at a hundred metres has 1e-19.
constexpr Real kLeak = 1e-26L;

struct Split {
  std::vector<int> free, driven;
};

Split split_speeds(const ModelSpec& spec, const Topology& topology) {
  Split split;
  for (int i = 0; i < topology.nv; ++i) {
    (motion_of(spec, topology, i) != nullptr ? split.driven : split.free).push_back(i);
  }
  return split;
}

MatrixXR columns_of(const MatrixXR& A, const std::vector<int>& list) {
  MatrixXR out(A.rows(), static_cast<Eigen::Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) out.col(static_cast<Eigen::Index>(i)) = A.col(list[i]);
  return out;
}

/// J with what its singular values say: the least solution and the null space, in the speeds' own units.
class NullSpace {
 public:
  NullSpace(const MatrixXR& J, const MatrixXR& bound, std::optional<int> held_rank)
      : scale_(equilibrate(bound)), values_(singular_values(scale_.row.asDiagonal() * J * scale_.column.asDiagonal())) {
    const Eigen::Index most = std::min(J.rows(), J.cols());
    while (rank < most && values_.sigma[rank] > kZero) ++rank;
    if (held_rank) rank = *held_rank;
    if (rank > 0) kept = values_.sigma[rank - 1];
    if (rank < most) dropped = values_.sigma[rank];
    basis = scale_.column.asDiagonal() * complement(values_.V, rank);
  }

  VectorXR least_solution(const VectorXR& gamma) const {
    const VectorXR b = values_.U.leftCols(rank).transpose() * scale_.row.cwiseProduct(gamma);
    const VectorXR y = b.cwiseQuotient(values_.sigma.head(rank));
    return scale_.column.cwiseProduct(VectorXR(values_.V.leftCols(rank) * y));
  }

  bool is_clear() const { return rank == 0 || (kept >= kNearSingular && kept > kClearGap * dropped); }

  int rank = 0;
  Real kept = 1, dropped = 0;
  MatrixXR basis;

 private:
  Equilibration scale_;
  SingularValues values_;
};

/// The smallest eigenvalue where every diagonal entry is 1.
Real least_inertia(const MatrixXR& M) {
  if (M.rows() == 0) return 1;
  if (!(M.diagonal().minCoeff() > 0)) return 0;
  const VectorXR s = M.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXR scaled = s.asDiagonal() * M * s.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<MatrixXR>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

bool moves_nothing(const MatrixXR& reduced, const MatrixXR& basis, const MatrixXR& M) {
  const Real heaviest = M.rows() > 0 ? M.diagonal().maxCoeff() : Real(0);
  for (Eigen::Index i = 0; i < reduced.rows(); ++i) {
    if (!(reduced(i, i) > kLeak * heaviest * basis.col(i).squaredNorm())) return true;
  }
  return false;
}

VectorXR solve_scaled(const MatrixXR& M, const VectorXR& b) {
  const VectorXR s = M.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXR scaled = s.asDiagonal() * M * s.asDiagonal();
  return s.cwiseProduct(VectorXR(Eigen::LLT<MatrixXR>(scaled).solve(s.cwiseProduct(b))));
}

/// Whether some row does not get what it asks for, though vdot is the nearest to all of them.
bool contradicts(const LoopRows& rows, const VectorXR& v, const VectorXR& vdot) {
  if (rows.J.rows() == 0) return false;
  const VectorXR missing = (rows.J * vdot - rows.gamma).cwiseAbs();
  const VectorXR size = rows.gamma.cwiseAbs() + rows.bound * vdot.cwiseAbs();
  // A loop that cannot move asks for rounding only: the whole mechanism says what is small.
  constexpr Real kOthers = 1e-3L;
  const Real most = std::max({size.maxCoeff(), vdot.cwiseAbs().maxCoeff(), v.squaredNorm()});
  for (Eigen::Index i = 0; i < size.size(); ++i) {
    if (missing[i] > kContradiction * (size[i] + kOthers * most)) return true;
  }
  return false;
}

Real fastest_motion(const TreeMotion& motion, const VectorXR& vdot) {
  Real fastest = 0;
  for (std::size_t k = 1; k < motion.body.size(); ++k) {
    Vector3R alpha = motion.body[k].R.angular_acceleration();
    for (const int i : motion.speeds[k]) alpha += vdot[i] * motion.column[at(i)].w;
    fastest = std::max({fastest, motion.body[k].R.angular_velocity().norm(), std::sqrt(alpha.norm())});
  }
  return fastest;
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegular:
      return "regular";
    case Verdict::kAmbiguous:
      return "ambiguous";
    case Verdict::kDrivesConflict:
      return "drives conflict";
    case Verdict::kNoInertia:
      return "a degree of freedom moves no inertia";
    case Verdict::kShaky:
      return "no motion goes on from these speeds";
    case Verdict::kLocked:
      return "mobility 0";
  }
  return "?";
}

const FunctionSpec* motion_of(const ModelSpec& spec, const Topology& topology, int speed) {
  const auto j = at(topology.joint_of_speed[at(speed)]);
  const auto c = at(speed - topology.v_at[j]);
  if (spec.joints[j].coordinates.empty() || !spec.joints[j].coordinates[c].motion) return nullptr;
  return &*spec.joints[j].coordinates[c].motion;
}

Situation initial_situation(const ModelSpec& spec) {
  const Topology topology(spec);
  Situation start{VectorXR::Zero(topology.nq), VectorXR::Zero(topology.nv), 0, {}, {}};
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const JointSpec& joint = spec.joints[j];
    const int quaternion = joint_size(joint.type).quaternion;
    if (joint.initial_q.empty() && quaternion >= 0) start.q[topology.q_at[j] + quaternion] = 1;
    for (std::size_t i = 0; i < joint.initial_q.size(); ++i) {
      start.q[topology.q_at[j] + static_cast<int>(i)] = joint.initial_q[i];
    }
    for (std::size_t i = 0; i < joint.initial_u.size(); ++i) {
      start.v[topology.v_at[j] + static_cast<int>(i)] = joint.initial_u[i];
    }
  }
  return start;
}

Reference solve_reference(const ModelSpec& spec, const Topology& topology, const Situation& now,
                          std::optional<int> held_rank) {
  const TreeMotion motion(spec, topology, now.q, now.v);
  const LoopRows rows = loop_rows(spec, topology, motion, now.q, now.v);
  const TreeEquations tree = tree_equations(spec, topology, motion, now);
  const Split split = split_speeds(spec, topology);

  Reference out;
  out.vdot = VectorXR::Zero(topology.nv);
  for (const int i : split.driven) {
    out.vdot[i] = function_value(*motion_of(spec, topology, i), Jet(now.time_s, 1)).dd;
  }
  const VectorXR gamma = rows.gamma - rows.J * out.vdot;
  const VectorXR h = tree.h - tree.M * out.vdot;
  const MatrixXR Jf = columns_of(rows.J, split.free);
  MatrixXR Mf = columns_of(columns_of(tree.M, split.free).transpose(), split.free);
  VectorXR hf(Jf.cols());
  for (Eigen::Index i = 0; i < hf.size(); ++i) hf[i] = h[split.free[at(i)]];

  const NullSpace space(Jf, columns_of(rows.bound, split.free), held_rank);
  out.rank = space.rank;
  out.dofs = static_cast<int>(space.basis.cols());
  out.kept = space.kept;
  out.dropped = space.dropped;
  out.tree_has_inertia = least_inertia(Mf) > kNoMass;
  if (!held_rank) {
    if (!split.driven.empty() && NullSpace(rows.J, rows.bound, {}).rank != space.rank) {
      out.verdict = Verdict::kDrivesConflict;
      return out;
    }
    if (out.dofs == 0 && split.driven.empty()) {
      out.verdict = Verdict::kLocked;
      return out;
    }
    if (!space.is_clear()) out.verdict = Verdict::kAmbiguous;
  }
  VectorXR x = space.least_solution(gamma);
  const MatrixXR reduced = space.basis.transpose() * Mf * space.basis;
  if (!held_rank && (least_inertia(reduced) < kNoMass || moves_nothing(reduced, space.basis, Mf))) {
    out.verdict = Verdict::kNoInertia;
    return out;
  }
  if (out.dofs > 0) {
    x += space.basis * solve_scaled(reduced, space.basis.transpose() * (hf - Mf * x));
  }
  for (Eigen::Index i = 0; i < x.size(); ++i) out.vdot[split.free[at(i)]] = x[i];
  if (!held_rank && contradicts(rows, now.v, out.vdot)) out.verdict = Verdict::kShaky;
  out.fastest_per_s = fastest_motion(motion, out.vdot);
  return out;
}

Openness openness_of(const ModelSpec& spec, const Topology& topology, const Situation& now) {
  const TreeMotion motion(spec, topology, now.q, now.v);
  const LoopRows rows = loop_rows(spec, topology, motion, now.q, now.v);
  Openness open;
  // A loop that cannot move has speeds of rounding only: the whole mechanism says what is small.
  constexpr Real kOthers = 1e-3L;
  const Real least = now.v.size() > 0 ? kOthers * now.v.cwiseAbs().maxCoeff() : Real(0);
  for (Eigen::Index i = 0; i < rows.J.rows(); ++i) {
    const Real fastest = std::max(least, rows.bound.row(i).cwiseProduct(now.v.transpose().cwiseAbs()).maxCoeff());
    open.error = std::max(open.error, std::abs(rows.error[i]));
    if (fastest > 0) open.rate = std::max(open.rate, std::abs(rows.rate[i]) / fastest);
  }
  return open;
}

std::optional<VectorXR> consistent_speeds(const ModelSpec& spec, const Topology& topology, const Situation& now,
                                          const VectorXR& wish) {
  const TreeMotion motion(spec, topology, now.q, now.v);
  const LoopRows rows = loop_rows(spec, topology, motion, now.q, now.v);
  const Split split = split_speeds(spec, topology);
  VectorXR v = VectorXR::Zero(topology.nv);
  for (const int i : split.driven) v[i] = function_value(*motion_of(spec, topology, i), Jet(now.time_s, 1)).d;
  const NullSpace space(columns_of(rows.J, split.free), columns_of(rows.bound, split.free), {});
  const VectorXR asked = -rows.J * v;
  VectorXR x = space.least_solution(asked);
  const VectorXR left = columns_of(rows.J, split.free) * x - asked;
  if (left.size() > 0 && left.cwiseAbs().maxCoeff() > 1e-9L * std::max(Real(1), asked.cwiseAbs().maxCoeff())) return {};
  VectorXR free_wish(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) free_wish[i] = wish[split.free[at(i)]];
  // Coefficients in a basis that is orthonormal up to the columns' scale: any combination fits the loops.
  x += space.basis * (space.basis.transpose() * free_wish);
  for (Eigen::Index i = 0; i < x.size(); ++i) v[split.free[at(i)]] = x[i];
  return v;
}

}  // namespace kinloop::adversary

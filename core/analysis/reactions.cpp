// Multipliers from the forces that are missing along the speeds, then a sweep for the joints of the tree.
#include "core/analysis/reactions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/math/least_squares.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop {
namespace {

/// A component of a self-stress below this share of its largest is rounding noise.
constexpr double kTouched = 1e-8;

/// Wrenches of the closing joints for given multipliers.
std::vector<SpatialVector> loop_wrenches(const Workspace& ws, const VectorX& lambda) {
  std::vector<SpatialVector> wrenches;
  Eigen::Index row = 0;
  for (const LoopConstraint& constraint : ws.loop_constraint) {
    SpatialVector sum;
    for (int r = 0; r < constraint.rows(); ++r) sum = sum + lambda[row++] * constraint.G(r);
    wrenches.push_back(sum);
  }
  return wrenches;
}

/// Constraints on the free speeds.
struct FreeSystem {
  std::vector<int> speeds;
  MatrixX C;        // rows x free speeds
  VectorX rows;     // scales of rows and of columns that make pure numbers of C, as where its rank is decided:
  VectorX columns;  // bodies of a micrometre beside ones of a metre, angles beside distances
  MatrixX basis;    // independent rows of C, B of the paper
  std::vector<int> basis_rows;

  MatrixX scaled() const { return rows.asDiagonal() * C * columns.asDiagonal(); }
};

FreeSystem free_system(const Model& model, const Workspace& ws) {
  FreeSystem system;
  system.speeds = free_speeds(model);
  const int rows = constraint_rows(model);
  MatrixX all(rows, model.nv());
  constraint_matrix(model, ws, all);
  system.C.resize(rows, static_cast<Eigen::Index>(system.speeds.size()));
  for (std::size_t i = 0; i < system.speeds.size(); ++i) {
    system.C.col(static_cast<Eigen::Index>(i)) = all.col(system.speeds[i]);
  }
  system.rows = RowMeasure(model).scale;
  system.columns.resize(system.C.cols());
  for (std::size_t i = 0; i < system.speeds.size(); ++i) {
    system.columns[static_cast<Eigen::Index>(i)] = 1.0 / speed_size(ws, system.speeds[i], model.length_m());
  }
  const ConstraintRank rank = constraint_rank(model, ws, RankOf::kFreeSpeeds);
  for (int r = 0; r < rows; ++r) {
    if (!std::binary_search(rank.redundant.begin(), rank.redundant.end(), r)) system.basis_rows.push_back(r);
  }
  system.basis = system.C(system.basis_rows, Eigen::all);
  return system;
}

/// M and h of the open tree along the free speeds: M vdot = h + C^T lambda.
struct OpenTree {
  MatrixX M;
  VectorX h;
};

OpenTree open_tree(const Model& model, const Workspace& ws, const std::vector<int>& speeds) {
  Workspace at_rest = ws;
  at_rest.vdot.setZero();
  for (SpatialVector& A : at_rest.A) A = SpatialVector{};
  std::vector<SpatialVector> wrench(at(model.body_count()));
  VectorX force(model.nv());
  joint_reactions(model, at_rest, {}, wrench);
  generalized_forces(model, at_rest, wrench, force);
  MatrixX M;
  mass_matrix(model, ws, M);
  return {M(speeds, speeds), (ws.tau - force)(speeds)};
}

/// Writes the zero block of (37), where that is the scheme.
VectorX multipliers(const FreeSystem& system, const Model& model, const Workspace& ws, const VectorX& missing,
                    ReactionScheme scheme, double& zero_block) {
  const MatrixX& B = system.basis;
  const Eigen::Index rows = system.C.rows();
  VectorX lambda = VectorX::Zero(rows);
  if (B.rows() == 0) return lambda;
  if (scheme == ReactionScheme::kLeastSquares) {
    // The smallest multipliers of all rows; their number of digits is that of the well-scaled C.
    const VectorX scaled =
        shortest_solution(system.scaled().transpose(), system.columns.cwiseProduct(missing), kRankTolerance);
    return system.rows.cwiseProduct(scaled);
  }
  const OpenTree tree = open_tree(model, ws, system.speeds);
  VectorX picked;
  if (scheme == ReactionScheme::kInverseInertia) {
    ConstraintTarget required(model);
    required_acceleration(ws, required);
    VectorX gamma(rows);
    constraint_values(model, ws, required, gamma);
    const Eigen::LLT<MatrixX> llt(tree.M);
    const VectorX free_motion = llt.solve(tree.h);
    const MatrixX mobility = B * llt.solve(B.transpose());
    picked = mobility.ldlt().solve(VectorX(gamma(system.basis_rows) - B * free_motion));
  } else {
    const MatrixX D = Eigen::FullPivLU<MatrixX>(B).kernel().transpose();
    MatrixX square(B.cols(), B.cols());
    const Eigen::Index dofs = B.cols() - B.rows();
    square.topRows(B.rows()) = B;
    if (dofs > 0) square.bottomRows(dofs) = D * tree.M;
    const VectorX both = square.transpose().fullPivLu().solve(missing);
    picked = both.head(B.rows());
    if (dofs > 0) zero_block = (square.bottomRows(dofs).transpose() * both.tail(dofs)).lpNorm<Eigen::Infinity>();
  }
  for (std::size_t i = 0; i < system.basis_rows.size(); ++i) {
    lambda[system.basis_rows[i]] = picked[static_cast<Eigen::Index>(i)];
  }
  return lambda;
}

/// Marks what a self-stress touches.
void mark(const SpatialVector& stress, double largest_force, double length_m, Reaction& reaction) {
  for (int i = 0; i < 3; ++i) {
    const auto c = at(i);
    if (std::abs(stress.linear[i]) > kTouched * largest_force) reaction.unique[c] = false;
    if (std::abs(stress.angular[i]) > kTouched * largest_force * length_m) reaction.unique[3 + c] = false;
  }
}

double size_of(const SpatialVector& wrench, double length_m) {
  return std::max(wrench.linear.eigen().norm(), wrench.angular.eigen().norm() / length_m);
}

void mark_indeterminate(const FreeSystem& system, const Model& model, const Workspace& ws, Reactions& result) {
  const Eigen::Index redundant = system.C.rows() - system.basis.rows();
  if (redundant == 0) return;
  const MatrixX stresses =
      system.rows.asDiagonal() * orthogonal_complement(system.scaled(), kRankTolerance);  // C^T s = 0
  Workspace unloaded = ws;
  for (SpatialVector& A : unloaded.A) A = SpatialVector{};
  for (BodyLoad& load : unloaded.load) load.n = load.f = Vec3();
  std::vector<SpatialVector> wrench(at(model.body_count()));
  for (Eigen::Index s = 0; s < stresses.cols(); ++s) {
    const std::vector<SpatialVector> stress = loop_wrenches(ws, stresses.col(s));
    joint_reactions(model, unloaded, stress, wrench);
    double largest = 0.0;
    for (const SpatialVector& w : stress) largest = std::max(largest, size_of(w, model.length_m()));
    for (std::size_t i = 0; i < stress.size(); ++i) mark(stress[i], largest, model.length_m(), result.loops[i]);
    for (std::size_t k = 1; k < wrench.size(); ++k) mark(wrench[k], largest, model.length_m(), result.joints[k]);
  }
}

}  // namespace

Reactions find_reactions(const Model& model, const Workspace& ws, ReactionScheme scheme) {
  Reactions result;
  std::vector<SpatialVector> wrench(at(model.body_count()));
  VectorX force(model.nv());
  const auto add_multipliers = [&](const VectorX& lambda) {
    const std::vector<SpatialVector> loops = loop_wrenches(ws, lambda);
    joint_reactions(model, ws, loops, wrench);
    generalized_forces(model, ws, wrench, force);
    result.couplings = lambda.tail(static_cast<Eigen::Index>(model.couplings().size()));
    for (std::size_t i = 0; i < model.couplings().size(); ++i) {
      const Coupling& c = model.couplings()[i];
      force[c.v_dependent] -= result.couplings[static_cast<Eigen::Index>(i)];
      force[c.v_of] += c.ratio * result.couplings[static_cast<Eigen::Index>(i)];
    }
    result.loops.assign(loops.size(), {});
    for (std::size_t i = 0; i < loops.size(); ++i) result.loops[i].wrench = loops[i];
  };

  const FreeSystem system = free_system(model, ws);
  VectorX lambda = VectorX::Zero(system.C.rows());
  add_multipliers(lambda);
  if (lambda.size() > 0) {
    const VectorX missing = (force - ws.tau)(system.speeds);
    lambda = multipliers(system, model, ws, missing, scheme, result.zero_block);
    add_multipliers(lambda);
  }
  result.joints.assign(wrench.size(), {});
  for (std::size_t k = 1; k < wrench.size(); ++k) result.joints[k].wrench = wrench[k];
  result.drive = VectorX::Zero(model.nv());
  for (const int i : model.driven_speeds()) result.drive[i] = force[i] - ws.tau[i];
  for (std::size_t i = 0; i < result.loops.size(); ++i) {
    for (std::size_t d = 0; d < model.loops()[i].drives.size(); ++d) {
      result.loop_drives.push_back(dot(ws.loop_constraint[i].prescribed[0].H[d], result.loops[i].wrench));
    }
  }
  for (const int i : system.speeds) result.imbalance = std::max(result.imbalance, std::abs(force[i] - ws.tau[i]));
  mark_indeterminate(system, model, ws, result);
  return result;
}

}  // namespace kinloop

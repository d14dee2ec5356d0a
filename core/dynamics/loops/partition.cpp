// Coordinate partitioning with the projective criterion: paper 001; docs/theory/constraints.md §5.
//
//   paper            here
//   q = (q_I, q_D)   independent_: chosen by ProjectiveCriterion, part of the State
//   C_I, C_D         columns of B_, the independent rows of the constraints
//   A = -C_D^-1 C_I  A_;  D = [1 A^T] in the order of coordinates: D_
//   xi = C_D^-1 g    xi_
//   M_d, h_d         M_d = D M D^T,  h_d = D (h - M [0; xi])
//   q_D = g(q_I, t)  (27): closed_form_, for the loops that have one
//
// The basis is looked at once a step. It changes only if another set is clearly better, and all coordinates are part
// of the state, so that a switch leaves no trace in positions, velocities or the history of an integrator.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/at.hpp"
#include "core/base/indexed_vector.hpp"
#include "core/constraints/frozen_constraint_rows.hpp"
#include "core/constraints/projective_criterion.hpp"
#include "core/constraints/rank_referee.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/constraints/sample_positions.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/math/cholesky.hpp"
#include "core/math/complete_pivot_solve.hpp"
#include "core/model/free_speeds.hpp"
#include "core/topology/closed_form.hpp"

namespace kinloop::formulations {
namespace {

/// A set must be this many times better than the one in use to replace it.
constexpr double kClearlyBetterPivot = 4.0;

class Partition final : public Dynamics {
 public:
  explicit Partition(const Model& model)
      : speeds_(free_speeds(model)),
        n_(static_cast<Eigen::Index>(speeds_.size())),
        composite_(at(model.body_count())),
        wrench_(at(model.body_count())),
        all_M_(MatrixX::Zero(model.nv(), model.nv())),
        all_C_(MatrixX::Zero(constraint_rows(model), model.nv())),
        force_(VectorX::Zero(model.nv())),
        M_(MatrixX::Zero(n_, n_)),
        h_(VectorX::Zero(n_)),
        typical_(typical_row_sizes(model)),
        measure_(model),
        rows_(n_, all_C_.rows()),
        B_(MatrixX::Zero(n_, n_)),
        gamma_(VectorX::Zero(all_C_.rows())),
        wanted_(VectorX::Zero(n_)),
        criterion_(n_, n_),
        independent_(at(n_), 0),
        candidate_(at(n_), 0),
        closed_form_(model),
        given_(model.nv(), 1),
        dependents_(static_cast<int>(n_), static_cast<int>(n_)),
        D_(MatrixX::Zero(n_, n_)),
        L_(MatrixX::Zero(n_, n_)),
        xi_(VectorX::Zero(n_)),
        work_(VectorX::Zero(n_)),
        reduced_(VectorX::Zero(n_)),
        required_(model),
        kept_(model) {
    rows_.group() = measure_.group;
  }

  std::string_view name() const noexcept override { return kPartition.name; }
  void freeze_basis() noexcept override { held_ = true; }
  void release_basis() noexcept override { held_ = false; }

  void read_basis(const State& state) noexcept override {
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double mark = state.independent()[speeds_[at(i)]];
      independent_[at(i)] = mark > 0.0 ? 1 : 0;
      chosen_ = mark >= 0.0;
    }
  }
  void write_basis(State& state) const noexcept override {
    if (!chosen_) return;
    for (Eigen::Index i = 0; i < n_; ++i) state.independent()[speeds_[at(i)]] = independent_[at(i)];
  }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    assemble(model, ws);
    const StepStatus status = held_ ? hold(model, ws) : choose(model, ws);
    if (status != StepStatus::kOk) return status;
    required_acceleration(ws, required_);
    want_of_pivots(required_);
    solve_reduced(h_);
    ws.vdot = ws.prescribed;
    for (Eigen::Index i = 0; i < n_; ++i) ws.vdot[speeds_[at(i)]] = work_[i];
    update_body_accelerations(model, ws);
    return StepStatus::kOk;
  }

  void solve_dependents(VectorX& q) noexcept override {
    // Where rank is being lost, branches meet: there the smallest change is a better guide than the independents.
    if (!chosen_ || frozen_) return;
    for (Eigen::Index i = 0; i < n_; ++i) given_[speeds_[at(i)]] = independent_[at(i)];
    closed_form_.place(given_, q);
  }

  bool is_singular() const noexcept override { return is_singular_; }

  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    for (Eigen::Index i = 0; i < n_; ++i) h_[i] = tau[speeds_[at(i)]];
    balance_by_multipliers();
    want_of_pivots(gap);
    solve_reduced(h_);
    change.setZero();
    for (Eigen::Index i = 0; i < n_; ++i) change[speeds_[at(i)]] = work_[i];
  }

  void project(const ConstraintTarget& motion, VectorX& step) noexcept override {
    h_.setZero();
    find_gamma(motion);
    wanted_.head(rank_) = rows_.reconciled(gamma_).head(rank_);
    solve_reduced(h_);
    step.setZero();
    for (Eigen::Index i = 0; i < n_; ++i) step[speeds_[at(i)]] = work_[i];
  }

 private:
  /// M, h and the constraints, along the free speeds.
  void assemble(const Model& model, const Workspace& ws) noexcept {
    mass_matrix(model, ws, composite_, all_M_);
    sum_loads(model, ws, wrench_, force_);
    for (Eigen::Index j = 0; j < n_; ++j) {
      h_[j] = ws.tau[speeds_[at(j)]] + force_[speeds_[at(j)]];
      for (Eigen::Index i = 0; i < n_; ++i) M_(i, j) = all_M_(speeds_[at(i)], speeds_[at(j)]);
    }
    for (int j = 0; j < n_; ++j) dependents_.set_size(j, speed_size(ws, speeds_[at(j)], model.length_m()));
    constraint_matrix(model, ws, all_C_);
    kept_.keep(ws);
  }

  /// The rows that count, as they are now.
  void fill_basis() noexcept {
    for (Eigen::Index r = 0; r < rank_; ++r) {
      const int row = rows_.pivot(static_cast<int>(r));
      for (Eigen::Index j = 0; j < n_; ++j) B_(r, j) = measure_.scale[row] * all_C_(row, speeds_[at(j)]);
    }
  }

  void fill_rows(const Model& model, const Workspace& ws) noexcept {
    fill_scaled_rows(model, ws, speeds_, measure_, all_C_, rows_);
  }

  /// Independent rows, by pivoting. Where fewer stand out than the basis in use has dependents, rank is being lost:
  /// the basis is frozen, and rows are taken in the order in which they stand out.
  void choose_rows(const Model& model, const Workspace& ws) noexcept {
    fill_rows(model, ws);
    report_.quality = 1.0;
    for (Eigen::Index r = 0; r < all_C_.rows(); ++r) {
      if (!(typical_[r] > kRankTolerance)) continue;
      const double size = rows_.matrix().col(r).lpNorm<Eigen::Infinity>() / measure_.scale[r];
      report_.quality = std::min(report_.quality, size / typical_[r]);
    }
    const RankRule rule = rank_rule(model, ws);
    tolerance_ = rule.tolerance;
    rows_.factorize(rule.tolerance, rule.rank);
    const auto dependents = std::count(independent_.begin(), independent_.end(), 0);
    frozen_ = chosen_ && rows_.rank() < dependents && dependents <= all_C_.rows();
    rank_ = frozen_ ? dependents : rows_.rank();
    is_singular_ = frozen_ || is_rank_lost(model, rows_.rank());
    if (frozen_) ++report_.singular;
    report_.quality = frozen_ ? 0.0 : std::min(report_.quality, rows_.smallest_singular_value());
    report_.conditioning = rows_.smallest_singular_value();
  }

  /// Rows, dependents and independents as at the start of the step. Where a pivot has weakened as many are sought
  /// afresh, among all rows.
  StepStatus hold(const Model& model, const Workspace& ws) noexcept {
    fill_basis();
    fill_dependents();
    if (!dependents_.solve_again(kWeakened, kSmallestPivotShare)) {
      fill_rows(model, ws);
      rows_.factorize(kSmallestPivotShare, {.most = static_cast<int>(rank_)});
      rank_ = rows_.rank();
      fill_basis();
      fill_dependents();
      dependents_.solve_held(kSmallestPivotShare);
    }
    return reduce_inertia() ? StepStatus::kOk : StepStatus::kSingularMass;
  }

  StepStatus choose(const Model& model, const Workspace& ws) noexcept {
    choose_rows(model, ws);
    fill_basis();
    const auto k = static_cast<int>(n_ - rank_);
    if (frozen_) return reduce() ? StepStatus::kOk : StepStatus::kSingularMass;
    const bool fits = chosen_ && std::count(independent_.begin(), independent_.end(), 1) == k;
    const bool massive = criterion_.set_inertia(M_);
    if (fits && reduce()) {
      if (!massive) return StepStatus::kOk;
      criterion_.use_dofs(D_, L_, k);
      const double quality = criterion_.choose(k, candidate_);
      const double own = criterion_.quality(independent_, L_);
      report_.quality = std::min(report_.quality, own);
      if (!(quality > kClearlyBetterPivot * own)) return StepStatus::kOk;
    } else if (massive) {
      criterion_.use_constraints(B_, rank_);
      criterion_.choose(k, candidate_);
    } else {
      choose_by_geometry();
    }
    if (chosen_) ++report_.switches;
    independent_ = candidate_;
    chosen_ = true;
    if (!reduce()) return StepStatus::kSingularMass;
    if (massive) report_.quality = std::min(report_.quality, criterion_.quality(independent_, L_));
    return StepStatus::kOk;
  }

  /// Some body moves no inertia of its own, so inertia cannot judge: the best conditioned dependents, massless first.
  void choose_by_geometry() noexcept {
    for (Eigen::Index j = 0; j < n_; ++j) {
      dependents_.set_role(static_cast<int>(j), M_(j, j) > 0.0 ? UnknownRole::kEither : UnknownRole::kPhantom);
    }
    fill_dependents();
    dependents_.solve(tolerance_);
    std::fill(candidate_.begin(), candidate_.end(), 1);
    for (int i = 0; i < dependents_.rank(); ++i) candidate_[at(dependents_.dependent(i))] = 0;
  }

  void fill_dependents() noexcept {
    dependents_.set_rows(static_cast<int>(rank_));
    dependents_.clear();
    for (Eigen::Index r = 0; r < rank_; ++r) {
      for (Eigen::Index j = 0; j < n_; ++j) dependents_.row(static_cast<int>(r))[j] = B_(r, j);
    }
  }

  /// A, D, M_d and its factor for the basis in use. False if it does not fit, or its dofs move no inertia.
  bool reduce() noexcept {
    for (Eigen::Index j = 0; j < n_; ++j) {
      dependents_.set_role(static_cast<int>(j),
                           independent_[at(j)] != 0 ? UnknownRole::kIndependent : UnknownRole::kEither);
    }
    fill_dependents();
    dependents_.solve(tolerance_);
    if (dependents_.rank() < rank_ && !frozen_) return false;
    report_.conditioning = std::min(report_.conditioning, dependents_.smallest_pivot());
    return reduce_inertia();
  }

  bool reduce_inertia() noexcept {
    // In a singular position a dependent that nothing determines counts as independent for this evaluation.
    independents_ = dependents_.independents();
    D_.topRows(independents_).setZero();
    for (Eigen::Index a = 0; a < independents_; ++a) {
      const int i = dependents_.independent(static_cast<int>(a));
      D_(a, i) = 1.0;
      for (int d = 0; d < dependents_.rank(); ++d) D_(a, dependents_.dependent(d)) = dependents_.T(d, i);
    }
    for (Eigen::Index a = 0; a < independents_; ++a) {
      work_.noalias() = M_ * D_.row(a).transpose();
      for (Eigen::Index b = a; b < independents_; ++b) L_(b, a) = D_.row(b).dot(work_);
    }
    return factorize_cholesky(L_, independents_);
  }

  void find_gamma(const ConstraintTarget& motion) noexcept {
    kept_.values(motion, gamma_);
    gamma_.array() *= measure_.scale.array();
  }

  /// Of the rows that count alone.
  void want_of_pivots(const ConstraintTarget& motion) noexcept {
    find_gamma(motion);
    for (int r = 0; r < rank_; ++r) wanted_[r] = gamma_[rows_.pivot(r)];
  }

  /// Takes what the rows that count can carry out of h: C_D^T lambda = h_D.
  void balance_by_multipliers() noexcept {
    for (int r = 0; r < rank_; ++r) {
      double multiplier = 0.0;
      for (int d = 0; d < dependents_.rank(); ++d) multiplier += dependents_.J(d, r) * h_[dependents_.dependent(d)];
      work_[r] = multiplier;
    }
    for (int r = 0; r < rank_; ++r) h_ -= work_[r] * B_.row(r).transpose();
  }

  /// work_ = D^T M_d^-1 D (h - M [0; xi]) + [0; xi].
  void solve_reduced(const VectorX& h) noexcept {
    xi_.setZero();
    for (int d = 0; d < dependents_.rank(); ++d) {
      double sum = 0.0;
      for (int r = 0; r < rank_; ++r) sum += dependents_.J(d, r) * wanted_[r];
      xi_[dependents_.dependent(d)] = sum;
    }
    work_ = h;
    work_.noalias() -= M_ * xi_;
    for (Eigen::Index a = 0; a < independents_; ++a) {
      double sum = D_.row(a).dot(work_);
      for (Eigen::Index b = 0; b < a; ++b) sum -= L_(a, b) * reduced_[b];
      reduced_[a] = sum / L_(a, a);
    }
    work_ = xi_;
    for (Eigen::Index a = independents_ - 1; a >= 0; --a) {
      for (Eigen::Index b = a + 1; b < independents_; ++b) reduced_[a] -= L_(b, a) * reduced_[b];
      reduced_[a] /= L_(a, a);
      work_ += reduced_[a] * D_.row(a).transpose();
    }
  }

  std::vector<int> speeds_;
  Eigen::Index n_;
  std::vector<CompositeInertia> composite_;
  std::vector<SpatialVector> wrench_;
  MatrixX all_M_, all_C_;
  VectorX force_;
  MatrixX M_;
  VectorX h_;
  VectorX typical_;  // sizes of the rows
  RowMeasure measure_;
  PivotedQr rows_;  // which rows of the constraints are independent
  MatrixX B_;
  VectorX gamma_, wanted_;  // per row; per row that counts
  ProjectiveCriterion criterion_;
  std::vector<char> independent_, candidate_;
  ClosedForm closed_form_;
  IndexedVector<char> given_;      // per speed of the tree: independent or driven
  CompletePivotSolve dependents_;  // C_D^-1
  MatrixX D_, L_;
  VectorX xi_, work_, reduced_;
  ConstraintTarget required_;
  FrozenConstraintRows kept_;
  Eigen::Index rank_ = 0, independents_ = 0;
  double tolerance_ = kRankTolerance;
  bool chosen_ = false, frozen_ = false, held_ = false;
  bool is_singular_ = false;
};

}  // namespace

constinit const DynamicsKind kPartition{
    "partition", "independent coordinates by the projective criterion (001)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<Partition>(model); }};

}  // namespace kinloop::formulations

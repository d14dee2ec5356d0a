// Walks along the closed positions.
#include "core/constraints/generic_rank.hpp"

#include <algorithm>

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/constraints/rank_referee.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/math/noise.hpp"
#include "core/math/pivoted_qr.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop {
namespace {

constexpr double kPiece = 0.05;      // rad, or lengths of the mechanism
constexpr double kLongPiece = 0.3;   // from a singular position that no short one leads away from
constexpr int kMoreAttempts = 32;    // there, for small mechanisms
constexpr double kLittleWork = 1e5;  // of a factorization
constexpr int kMaxPieces = 8;        // of a walk
constexpr int kWalks = 2;            // in different directions
constexpr int kMaxAttempts = 8;      // some directions lead nowhere from a singular position
constexpr int kMaxNewtonSteps = 40;  // of Newton's method: near a singular position it halves errors at best
constexpr double kClosedTo = 1e-12;  // what rounding leaves
constexpr double kMaxEntries = 2e6;  // of the constraints: larger mechanisms are not looked at
constexpr double kMaxWork = 3e7;     // multiplications of one factorization, likewise
constexpr double kEnoughWork = 2e7;  // of all of them

class ClosedWalk {
 public:
  explicit ClosedWalk(const Model& model)
      : model_(model),
        speeds_(free_speeds(model)),
        measure_(model),
        ws_(model),
        motion_(model),
        C_(MatrixX::Zero(constraint_rows(model), model.nv())),
        qr_(static_cast<Eigen::Index>(speeds_.size()), C_.rows()),
        values_(VectorX::Zero(C_.rows())),
        at_rest_(VectorX::Zero(model.nv())),
        direction_(VectorX::Zero(qr_.matrix().rows())),
        q_(model.initial_q()) {
    qr_.group() = measure_.group;
  }

  /// Multiplications of a factorization at the present position, about.
  double work() {
    look();
    fill();
    const auto rows = static_cast<double>(std::count(qr_.active().begin(), qr_.active().end(), 1));
    return static_cast<double>(speeds_.size()) * rows * rows;
  }

  void start_over(const VectorX& q) { q_ = q; }
  const VectorX& q() const { return q_; }

  /// Newton's method from nearby; false where it does not get there.
  bool close() {
    for (int i = 0; i <= kMaxNewtonSteps; ++i) {
      look();
      if (closure_error(ws_) <= kClosedTo * (1.0 + q_.lpNorm<Eigen::Infinity>())) return true;
      if (!(closure_error(ws_) < 1.0)) return false;
      factorize();
      position_correction(model_, ws_, motion_);
      constraint_values(model_, ws_, motion_, values_);
      values_.array() *= measure_.scale.array();
      VectorX step = VectorX::Zero(qr_.matrix().rows());
      qr_.satisfy_all(values_, step);
      qr_.apply(step);
      move(step);
    }
    return false;
  }

  /// At the present position, which is closed.
  GenericRank rank() {
    factorize();
    GenericRank result{qr_.rank(), qr_.rank()};
    if (!model_.couplings().empty()) {
      fill();
      const auto loops = C_.rows() - static_cast<Eigen::Index>(model_.couplings().size());
      for (Eigen::Index r = loops; r < C_.rows(); ++r) qr_.active()[at(r)] = 0;
      qr_.factorize(kRankTolerance);
      result.loops = qr_.rank();
    }
    return result;
  }

  void turn_anywhere(Noise& noise) {
    for (double& d : direction_) d = noise.next();
  }
  /// From a singular position the way on is known to what moves.
  void turn_as_it_moves() {
    look();
    for (std::size_t j = 0; j < speeds_.size(); ++j) {
      direction_[static_cast<Eigen::Index>(j)] = model_.initial_v()[speeds_[j]] * size(speeds_[j]);
    }
  }

  /// One piece along what the loops allow of the direction; false where they allow nothing.
  bool go_on(double piece) {
    look();
    factorize();
    qr_.apply_transposed(direction_);
    direction_.head(qr_.rank()).setZero();
    qr_.apply(direction_);
    const double longest = direction_.size() > 0 ? direction_.lpNorm<Eigen::Infinity>() : 0.0;
    if (!(longest > 1e-6)) return false;
    direction_ *= 1.0 / longest;
    move(piece * direction_);
    return true;
  }

 private:
  void look() {
    update_kinematics(model_, q_.data(), at_rest_.data(), 0.0, ws_);
    update_loop_constraints(model_, q_.data(), at_rest_.data(), 0.0, ws_);
  }

  double size(int i) const { return speed_size(ws_, i, model_.length_m()); }

  /// Rows of the constraints as columns, for speeds of size 1.
  void fill() {
    constraint_matrix(model_, ws_, C_);
    fill_scaled_rows(model_, ws_, speeds_, measure_, C_, qr_);
  }

  void factorize() {
    fill();
    qr_.factorize(rank_tolerance(ws_));
  }

  void move(const VectorX& step) {
    VectorX full = VectorX::Zero(model_.nv());
    for (std::size_t j = 0; j < speeds_.size(); ++j) {
      full[speeds_[j]] = step[static_cast<Eigen::Index>(j)] / size(speeds_[j]);
    }
    advance_configuration(model_, VectorX(q_).data(), full.data(), q_.data());
  }

  const Model& model_;
  std::vector<int> speeds_;
  RowMeasure measure_;
  Workspace ws_;
  ConstraintTarget motion_;
  MatrixX C_;
  PivotedQr qr_;
  VectorX values_, at_rest_, direction_, q_;
};

}  // namespace

GenericRank find_generic_rank(const Model& model) {
  if (!model.has_loops() || constraint_rows(model) == 0) return {0, 0};
  if (static_cast<double>(model.nv()) * constraint_rows(model) > kMaxEntries) return {};
  ClosedWalk walk(model);
  const double work = walk.work();
  if (work > kMaxWork || !walk.close()) return {};
  const VectorX start = walk.q();
  GenericRank largest = walk.rank();
  Noise noise(31);
  const int pieces = std::clamp(static_cast<int>(kEnoughWork / (4.0 * kWalks * (1.0 + work))), 1, kMaxPieces);
  int moved = 0;
  const int attempts = work > kLittleWork ? kMaxAttempts : kMoreAttempts;
  for (int attempt = 0; attempt < (moved > 0 ? kMaxAttempts : attempts) && moved < kWalks * pieces; ++attempt) {
    walk.start_over(start);
    if (attempt == 0 && !model.initial_v().isZero(0.0)) {
      walk.turn_as_it_moves();
    } else {
      walk.turn_anywhere(noise);
    }
    // Next to a singular position weak rows are lost in what a short piece leaves open.
    const double first_piece = moved == 0 && attempt >= kMaxAttempts / 2 ? kLongPiece : kPiece;
    for (int i = 0; i < pieces; ++i) {
      if (!walk.go_on(i == 0 ? first_piece : kPiece)) return largest;  // a structure: there is nowhere to go
      if (!walk.close()) break;
      const GenericRank here = walk.rank();
      largest = {std::max(largest.all, here.all), std::max(largest.loops, here.loops)};
      ++moved;
    }
  }
  return moved > 0 ? largest : GenericRank{};
}

}  // namespace kinloop

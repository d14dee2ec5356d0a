// Complete pivoting of the scaled constraints, without the inertia: the same answer for every formulation.
#include "core/constraints/rank_referee.hpp"

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop {
namespace {

constexpr int kMaxRefereeEntries = 10'000;  // of the constraints

bool is_worth_it(const Model& model) { return model.nv() * constraint_rows(model) <= kMaxRefereeEntries; }

}  // namespace

void fill_scaled_rows(const Model& model, const Workspace& ws, const std::vector<int>& speeds,
                      const RowMeasure& measure, const MatrixX& C, PivotedQr& qr) noexcept {
  for (std::size_t j = 0; j < speeds.size(); ++j) {
    const double inverse_size = 1.0 / speed_size(ws, speeds[j], model.length_m());
    for (Eigen::Index r = 0; r < C.rows(); ++r) {
      qr.matrix()(static_cast<Eigen::Index>(j), r) = measure.scale[r] * C(r, speeds[j]) * inverse_size;
    }
  }
  // Rows of loop constraints have size 1 by construction: one that moves less than the tolerance is zero. A coupling
  // has the size of what it couples.
  const auto loop_rows = C.rows() - static_cast<Eigen::Index>(model.couplings().size());
  for (Eigen::Index r = 0; r < C.rows(); ++r) {
    const bool is_zero = r < loop_rows && !(qr.matrix().col(r).lpNorm<Eigen::Infinity>() > kRankTolerance);
    qr.active()[at(r)] = is_zero ? 0 : 1;
  }
}

RankReferee::RankReferee(const Model& model)
    : is_ready_(is_worth_it(model)),
      speeds_(is_ready_ ? free_speeds(model) : std::vector<int>{}),
      measure_(model),
      C_(MatrixX::Zero(is_ready_ ? constraint_rows(model) : 0, model.nv())),
      qr_(static_cast<Eigen::Index>(speeds_.size()), C_.rows()) {
  if (is_ready_) qr_.group() = measure_.group;
}

int RankReferee::rank(const Model& model, const Workspace& ws) noexcept {
  constraint_matrix(model, ws, C_);
  fill_scaled_rows(model, ws, speeds_, measure_, C_, qr_);
  const RankRule rule = rank_rule(model, ws);
  qr_.factorize(rule.tolerance, rule.rank);
  return qr_.rank();
}

}  // namespace kinloop

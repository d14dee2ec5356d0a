// Solves for the multipliers of the couplings.
#include "core/dynamics/rcr/coupling_response.hpp"

#include <limits>
#include <utility>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"

namespace kinloop {
namespace {

/// A coupling that moves less than this share of what a free one would is locked; rounding is a hundredth of it.
constexpr double kLocked = 1e-13;

double lightest_kg(const Model& model) {
  double lightest = std::numeric_limits<double>::infinity();
  for (int k = 1; k < model.body_count(); ++k) {
    const double mass = model.body(k).mass;
    if (mass > 0.0 && mass < lightest) lightest = mass;
  }
  return lightest;
}

}  // namespace

CouplingResponse::CouplingResponse(const Model& model, IndexedVector<int> which)
    : which_(std::move(which)),
      length_m_(model.length_m()),
      lightest_kg_(lightest_kg(model)),
      response_(MatrixX::Zero(model.nv(), count())),
      coupled_(count(), count()),
      lambda_(VectorX::Zero(count())),
      rates_(VectorX::Zero(model.nv())) {
  for (const int i : which_) couplings_.push_back(model.couplings()[at(i)]);
}

void CouplingResponse::unit_force(Eigen::Index i, VectorX& tau) const noexcept {
  const Coupling& c = couplings_[i];
  tau.setZero();
  tau[c.v_dependent] += 1.0;
  tau[c.v_of] -= c.ratio;
}

double CouplingResponse::along(std::size_t i, const VectorX& rates) const noexcept {
  return rates[couplings_[i].v_dependent] - couplings_[i].ratio * rates[couplings_[i].v_of];
}

template <class Motion>
void CouplingResponse::factorize(const LoopGraph& graph, const Motion& motion) noexcept {
  for (int i = 0; i < couplings_.count(); ++i) {
    const auto row = i;
    for (Eigen::Index j = 0; j < count(); ++j) {
      rates_ = response_.col(j);
      coupled_.matrix()(row, j) = along(i, rates_);
    }
    coupled_.active()[i] = coupled_.matrix()(row, row) > kLocked * mobility_size(i, graph, motion) ? 1 : 0;
  }
  coupled_.factorize(kRankTolerance);
}

/// What a coupling's mobility would be if it moved the lightest body over the mechanism's length: against this
/// rounding is judged, since a coupling that the loops leave no motion responds with nothing else.
template <class Motion>
double CouplingResponse::mobility_size(std::size_t i, const LoopGraph& graph, const Motion& motion) const noexcept {
  const Coupling& c = couplings_[i];
  double size = 0.0;
  for (int j = 0; j < graph.slot_speed.count(); ++j) {
    const int speed = graph.slot_speed[j];
    if (speed < 0 || (speed != c.v_dependent && speed != c.v_of)) continue;
    const double factor = speed == c.v_of ? c.ratio : 1.0;
    const double moves2 = turning2(motion.column[j]) + moving2(motion.column[j]) / (length_m_ * length_m_);
    if (moves2 > 0.0) size += factor * factor / moves2;
  }
  return size / (lightest_kg_ * length_m_ * length_m_);
}

void CouplingResponse::apply(const VectorX& wanted, VectorX& rates) noexcept {
  for (Eigen::Index i = 0; i < count(); ++i) lambda_[i] = wanted[which_[i]] - along(static_cast<std::size_t>(i), rates);
  coupled_.apply_transposed(lambda_);
  coupled_.solve(lambda_);
  for (int i = 0; i < coupled_.rank(); ++i) rates += lambda_[i] * response_.col(coupled_.pivot(i));
}

template void CouplingResponse::factorize(const LoopGraph& graph,
                                          const BasicGraphMotion<SpatialAlgebra>& motion) noexcept;
template void CouplingResponse::factorize(const LoopGraph& graph,
                                          const BasicGraphMotion<PlanarAlgebra>& motion) noexcept;

}  // namespace kinloop

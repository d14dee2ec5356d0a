// Owns CouplingResponse: couplings of speeds as multipliers on top of a method that solves the mechanism without them.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/math/pivoted_qr.hpp"
#include "core/topology/graph_motion.hpp"

namespace kinloop {

class CouplingResponse {
 public:
  /// Of the given couplings of the model.
  CouplingResponse(const Model& model, IndexedVector<int> which);

  Eigen::Index count() const noexcept { return which_.count(); }

  /// tau becomes a unit force in coupling i.
  void unit_force(Eigen::Index i, VectorX& tau) const noexcept;
  /// What the speeds do about it.
  VectorX& rates() noexcept { return rates_; }
  void keep_rates(Eigen::Index i) noexcept { response_.col(i) = rates_; }

  /// After rates have been kept for every coupling. Couplings that the loops leave no motion are passed over.
  template <class Motion>
  void factorize(const LoopGraph& graph, const Motion& motion) noexcept;

  /// Adds the responses that bring the couplings to the wanted values, which are given for all of the model.
  void apply(const VectorX& wanted, VectorX& rates) noexcept;

 private:
  double along(std::size_t i, const VectorX& rates) const noexcept;
  template <class Motion>
  double mobility_size(std::size_t i, const LoopGraph& graph, const Motion& motion) const noexcept;

  IndexedVector<int> which_;
  IndexedVector<Coupling> couplings_;  // these
  double length_m_;
  double lightest_kg_;
  MatrixX response_;
  PivotedQr coupled_;
  VectorX lambda_, rates_;
};

}  // namespace kinloop

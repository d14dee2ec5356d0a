// Moves every coordinate of the initial state at random.
#include "core/constraints/sample_positions.hpp"

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/math/noise.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop {
namespace {

constexpr int kSamples = 5;
constexpr double kStretch = 1.0;  // rad, or lengths of the mechanism: how far samples lie from the initial state

}  // namespace

std::vector<VectorX> sample_positions(const Model& model) {
  std::vector<VectorX> positions;
  Workspace ws(model);
  Noise noise(20240229);
  const VectorX at_rest = VectorX::Zero(model.nv());
  update_kinematics(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  for (int s = 0; s < kSamples; ++s) {
    VectorX& q = positions.emplace_back(model.initial_q());
    VectorX step = VectorX::Zero(model.nv());
    for (int i = 0; i < model.nv(); ++i) {
      const bool slides = ws.Hw[at(i)].eigen().isZero(0.0) && model.coordinate(i).q >= 0;
      step[i] = kStretch * noise.next() * (slides ? model.length_m() : 1.0);
    }
    advance_configuration(model, model.initial_q().data(), step.data(), q.data());
  }
  return positions;
}

VectorX typical_row_sizes(const Model& model) {
  MatrixX C = MatrixX::Zero(constraint_rows(model), model.nv());
  VectorX sizes = VectorX::Zero(C.rows());
  if (sizes.size() == 0) return sizes;
  const std::vector<int> speeds = free_speeds(model);
  const VectorX at_rest = VectorX::Zero(model.nv());
  Workspace ws(model);
  for (const VectorX& q : sample_positions(model)) {
    update_kinematics(model, q.data(), at_rest.data(), 0.0, ws);
    update_loop_constraints(model, q.data(), at_rest.data(), 0.0, ws);
    constraint_matrix(model, ws, C);
    for (Eigen::Index r = 0; r < C.rows(); ++r) {
      for (const int i : speeds) {
        sizes[r] = std::max(sizes[r], std::abs(C(r, i)) / speed_size(ws, i, model.length_m()));
      }
    }
  }
  return sizes;
}

}  // namespace kinloop

// Partitions a tree, once at start-up, and chooses where to cut it.
#include "core/dynamics/hybrid/hybrid_pieces.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>

#include "core/dynamics/formulations.hpp"
#include "core/dynamics/hybrid/hybrid.hpp"

namespace kinloop {
namespace hybrid {
namespace {

int count_rows(const Model& model, const BodyConstants& body) {
  int rows = 6 - body.nv;
  for (int i = body.v; i < body.v + body.nv; ++i) {
    const CoordinateConstants& c = model.coordinate(i);
    if (c.motion >= 0 || c.armature > 0.0) ++rows;
  }
  return rows;
}

void size_memory(const Model& model, Piece& piece) {
  int responses = 0;
  for (Node& node : piece.nodes) {
    node.response = responses;
    responses += model.body(node.body).nv * (node.last - node.first);
  }
  piece.tau.resize(piece.columns);
  piece.response.resize(responses);
  piece.base_factor.setIdentity();
  piece.base_load.setZero();
  piece.base_tau.setZero(6, piece.columns);
  piece.gamma.setZero(piece.columns, piece.columns);
  piece.eta.setZero(piece.columns);
  piece.front.setZero(piece.columns, piece.columns);
  piece.right.setZero(piece.columns);
  piece.f.setZero(piece.columns);
}

}  // namespace

Partition make_partition(const Model& model, std::vector<int> cut_bodies) {
  std::sort(cut_bodies.begin(), cut_bodies.end());
  Partition result;
  const int count = model.body_count();
  IndexedVector<int> cut_of(count, -1);
  for (const int k : cut_bodies) {
    Cut cut;
    cut.body = k;
    cut.predecessor = model.body(k).parent;
    cut.rows = count_rows(model, model.body(k));
    cut.first_row = result.rows;
    result.rows += cut.rows;
    cut_of[k] = result.cuts.count();
    result.cuts.push_back(cut);
  }

  IndexedVector<int> width(count, 0);  // columns outboard of a body, within its piece
  for (int k = model.body_count() - 1; k > 0; --k) {
    const int cut = cut_of[k];
    width[model.body(k).parent] += cut >= 0 ? result.cuts[cut].rows : width[k];
  }

  // Every tree on the ground is a piece of its own; a joint cut at the ground has an empty piece inboard.
  const auto new_piece = [&result] {
    result.pieces.emplace_back();
    return result.pieces.count() - 1;
  };
  IndexedVector<int> piece_of(count, -1);
  IndexedVector<int> next_column(count, 0);
  for (int k = 1; k < model.body_count(); ++k) {
    const int parent = model.body(k).parent;
    Node node{k, 0, width[k], 0};
    if (cut_of[k] >= 0) {
      Cut& cut = result.cuts[cut_of[k]];
      cut.inner = parent > 0 ? piece_of[parent] : new_piece();
      cut.column = parent > 0 ? next_column[parent] : 0;
      next_column[parent] += cut.rows;
      result.pieces[cut.inner].tip_cuts.push_back(cut_of[k]);
      result.pieces[cut.inner].tip_columns += cut.rows;
      result.pieces[cut.inner].columns += cut.rows;
      cut.outer = new_piece();
      result.pieces[cut.outer].base_cut = cut_of[k];
      result.pieces[cut.outer].columns = cut.rows;
      piece_of[k] = cut.outer;
    } else if (parent == 0) {
      piece_of[k] = new_piece();
    } else {
      piece_of[k] = piece_of[parent];
      node.first = next_column[parent];
      node.last = node.first + width[k];
      next_column[parent] = node.last;
    }
    next_column[k] = node.first;
    result.pieces[piece_of[k]].nodes.push_back(node);
  }
  for (Piece& piece : result.pieces) {
    std::sort(piece.tip_cuts.begin(), piece.tip_cuts.end(),
              [&](int a, int b) { return result.cuts[a].column < result.cuts[b].column; });
    size_memory(model, piece);
  }
  return result;
}

}  // namespace hybrid

namespace {

/// Below this share of the largest moment of inertia the smallest is no inertia of its own: as the base of a floating
/// piece such a body would cost that many digits.
constexpr double kThin = 1.0e-6;

/// Whether body k has mass and inertia about all axes.
bool is_full(const Model& model, int k) {
  const BodyConstants& body = model.body(k);
  if (body.mass <= 0.0) return false;
  const Matrix3 c = skew(body.first_moment.eigen() / body.mass);
  const Matrix3 inertia_com = body.inertia.eigen() + body.mass * c * c;
  const Vector3 moments = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia_com, Eigen::EigenvaluesOnly).eigenvalues();
  return moments[0] > kThin * moments[2];
}

/// The body that forbids a cut inboard of body k, or -1.
int obstacle(const Model& model, int k) {
  if (!is_full(model, k)) return k;
  const int parent = model.body(k).parent;
  return parent == 0 || is_full(model, parent) ? -1 : parent;
}

}  // namespace

std::vector<int> automatic_cuts(const Model& model, int pieces) {
  const int bodies = model.body_count() - 1;
  if (pieces <= 0) pieces = static_cast<int>(std::lround(std::sqrt(bodies)));
  if (pieces <= 1) return {};
  const int target = (bodies + pieces - 1) / pieces;
  IndexedVector<int> size(model.body_count(), 1);
  std::vector<int> cuts;
  for (int k = bodies; k > 0; --k) {
    const int parent = model.body(k).parent;
    if (parent == 0) continue;
    if (size[k] >= target && obstacle(model, k) < 0) {
      cuts.push_back(k);
    } else {
      size[parent] += size[k];
    }
  }
  return cuts;
}

std::string hybrid_refusal(const Model& model, const HybridOptions& options) {
  std::string loops = formulations::refuse_loops(model);
  if (!loops.empty()) return loops;
  std::vector<int> sorted = options.cut_bodies;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return "a joint is cut twice";
  for (const int k : sorted) {
    if (k < 1 || k >= model.body_count()) return "there is no body " + std::to_string(k) + " to cut at";
    const int thin = obstacle(model, k);
    if (thin < 0) continue;
    return "joint '" + model.joint_name(k) + "' cannot be cut: body '" + model.body_name(thin) +
           "' has no mass or no inertia about some axis";
  }
  return {};
}

}  // namespace kinloop

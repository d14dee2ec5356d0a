// Chooses tails, joins those that overlap, and finds what each segment leaves open.
#include "core/topology/segments.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/base/at.hpp"
#include "core/math/pivoted_qr.hpp"

namespace kinloop {
namespace {

constexpr double kGood = 0.1;            // share of a column that must stand out of the others of a good set
constexpr double kEnough = 1e-2;         // the same for loops that are solved together
constexpr double kRankShare = 1e-6;      // below it a column adds nothing to the rank
constexpr std::size_t kMaxCoupled = 24;  // coordinates of a segment with couplings, whose cost is their cube
constexpr int kSpareCoordinates = 3;     // that a tail takes in besides, to have a choice at run time

/// Rank of a set of columns, and the smallest share among those that make it up.
struct Span {
  int rank = 0;
  double smallest = 1.0;
};

/// Columns [w; v / L] judged by pivoted Gram-Schmidt.
Span span_of(IndexedVector<SpatialVector> columns, double length_m) {
  Span span;
  for (SpatialVector& c : columns) {
    c.linear = (1.0 / length_m) * c.linear;
    const double size = std::sqrt(dot(c, c));
    c = size > 0.0 ? (1.0 / size) * c : SpatialVector{};
  }
  for (int k = 0; k < 6; ++k) {
    const auto best =
        std::max_element(columns.begin(), columns.end(),
                         [](const SpatialVector& a, const SpatialVector& b) { return dot(a, a) < dot(b, b); });
    if (best == columns.end()) break;
    const double share = std::sqrt(dot(*best, *best));
    if (share < kRankShare) break;
    const SpatialVector direction = (1.0 / share) * *best;
    ++span.rank;
    span.smallest = std::min(span.smallest, share);
    for (int pass = 0; pass < 2; ++pass) {
      for (SpatialVector& c : columns) c = c - dot(c, direction) * direction;
    }
  }
  return span;
}

/// How many bodies of the path, tip first, span what the whole loop spans. Columns that are good somewhere are good
/// nearly everywhere: only those count as dependent that are so in all samples.
std::size_t tail_length(const IndexedVector<LoopColumns>& samples, std::size_t bodies, double length_m) {
  int rank = 0;
  for (const LoopColumns& loop : samples) rank = std::max(rank, span_of(loop.columns, length_m).rank);
  for (std::size_t n = 1; n < bodies; ++n) {
    const bool good = std::any_of(samples.begin(), samples.end(), [&](const LoopColumns& loop) {
      const auto end = loop.columns.begin() + static_cast<long>(loop.end_of_body[n - 1]);
      const Span span = span_of({loop.columns.begin(), end}, length_m);
      return span.rank == rank && span.smallest >= kGood;
    });
    if (good) return n;
  }
  return bodies;
}

/// Per closing the first of those whose tails share bodies with its own, directly or through others.
IndexedVector<int> groups_of(const IndexedVector<IndexedVector<int>>& tails, std::size_t bodies) {
  IndexedVector<int> group(tails.size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int c) {
    while (group[c] != c) c = group[c];
    return c;
  };
  IndexedVector<int> owner(bodies, -1);
  for (int c = 0; c < tails.count(); ++c) {
    for (const int b : tails[c]) {
      if (owner[b] >= 0) group[root(c)] = root(owner[b]);
      owner[b] = c;
    }
  }
  for (int c = 0; c < tails.count(); ++c) group[c] = root(c);
  return group;
}

/// Loops that are solved together, at one state: the closing conditions of all, as columns [w; v / L] at the closing
/// points, of the coordinates of the given bodies and of the closing joints.
Span span_together(const LoopGraph& graph, const GraphMotion& motion, const IndexedVector<std::size_t>& closings,
                   const IndexedVector<IndexedVector<int>>& paths, const std::set<int>& bodies, double length_m) {
  std::map<int, Eigen::Index> place;  // slot -> column
  const auto add_slots = [&](const GraphEdge& edge) {
    for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
      place.emplace(j, place.size());
    }
  };
  for (const int b : bodies) add_slots(graph.edges[graph.bodies[b].edge]);
  for (const std::size_t c : closings) add_slots(graph.edges[graph.closings[c].edge]);
  PivotedQr qr(6 * closings.count(), static_cast<Eigen::Index>(place.size()));
  Eigen::Index row = 0;
  for (const std::size_t c : closings) {
    const auto put = [&](int slot, const SpatialVector& a) {
      qr.matrix().col(place.at(slot)).segment<3>(row) = a.angular.eigen();
      qr.matrix().col(place.at(slot)).segment<3>(row + 3) = a.linear.eigen() / length_m;
    };
    const GraphEdge& closing = graph.edges[graph.closings[c].edge];
    for (int j = closing.first_slot; j < closing.first_slot + closing.slots; ++j) put(j, motion.column[j]);
    Vec3 arm = motion.tip_arm[c];
    for (const int b : paths[c]) {
      const GraphEdge& edge = graph.edges[graph.bodies[b].edge];
      for (int j = edge.first_slot; bodies.contains(b) && j < edge.first_slot + edge.slots; ++j) {
        put(j, shift_motion(motion.column[j], arm));
      }
      arm += motion.r[b];
    }
    row += 6;
  }
  qr.factorize(kRankShare);
  return {qr.rank(), qr.smallest_share()};
}

int place_in(const IndexedVector<int>& list, int body) {
  const auto found = std::find(list.begin(), list.end(), body);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

void add_body(const LoopGraph& graph, int body, int parent_place, Segment& segment) {
  const GraphEdge& edge = graph.edges[graph.bodies[body].edge];
  segment.first_slot.push_back(segment.slots.count());
  for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
    segment.slots.push_back(j);
    segment.slot_body.push_back(segment.bodies.count());
  }
  segment.parent_in.push_back(parent_place);
  segment.bodies.push_back(body);
}

void add_coordinates(const GraphEdge& edge, SegmentClosing& closing, Segment& segment) {
  closing.first_slot = segment.slots.count();
  closing.slots = edge.slots;
  for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
    segment.slots.push_back(j);
    segment.slot_body.push_back(-1);
  }
}

}  // namespace

SegmentPlan::SegmentPlan(const Model& model, const LoopGraph& graph, const IndexedVector<LoopSample>& samples,
                         const ReducedLoopRows& rows, Tails tails, const SegmentPlan* first) {
  if (tails == Tails::kShort) {
    choose_short_tails(model, graph, samples);
  } else {
    for (const GraphClosing& closing : graph.closings) tails_.push_back(path_to_base(graph, closing));
  }
  choose_coupling_tails(model, graph);
  if (first != nullptr) {
    couplings_apart = first->couplings_apart;
    for (const int i : couplings_apart) coupling_tails_[i].clear();
  }
  make_segments(model, graph, rows);
  while (first == nullptr && set_one_apart_each()) make_segments(model, graph, rows);
  std::sort(couplings_apart.begin(), couplings_apart.end());
  find_boundaries(graph);
}

/// The one that joins most bodies; of equals, as in a train of gears, the one in the middle, which halves the segment.
bool SegmentPlan::set_one_apart_each() {
  const std::size_t before = couplings_apart.size();
  for (const Segment& segment : segments) {
    if (segment.slots.size() <= kMaxCoupled || segment.couplings.empty()) continue;
    const auto joined = [&](const SegmentCoupling& c) { return coupling_tails_[c.index].size(); };
    std::size_t most = 0;
    for (const SegmentCoupling& coupling : segment.couplings) most = std::max(most, joined(coupling));
    IndexedVector<int> longest;
    for (const SegmentCoupling& coupling : segment.couplings) {
      if (joined(coupling) == most) longest.push_back(coupling.index);
    }
    couplings_apart.push_back(longest[longest.size() / 2]);
  }
  for (std::size_t i = before; i < couplings_apart.size(); ++i) coupling_tails_[couplings_apart[i]].clear();
  return couplings_apart.size() > before;
}

void SegmentPlan::choose_coupling_tails(const Model& model, const LoopGraph& graph) {
  // A joint that closes a loop here belongs to the tail of that loop.
  IndexedVector<int> body_of_speed(at(model.nv()), -1);
  for (const GraphClosing& closing : graph.closings) {
    const GraphEdge& edge = graph.edges[closing.edge];
    for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
      if (graph.slot_speed[j] >= 0) body_of_speed[graph.slot_speed[j]] = closing.tip;
    }
  }
  for (const int b : graph.order) {
    const GraphEdge& edge = graph.edges[graph.bodies[b].edge];
    for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
      if (graph.slot_speed[j] >= 0) body_of_speed[graph.slot_speed[j]] = b;
    }
  }
  const auto parent = [&](int b) { return graph.bodies[b].parent; };
  const auto depth = [&](int b) { return graph.bodies[b].depth; };
  for (const Coupling& coupling : model.couplings()) {
    IndexedVector<int>& tail = coupling_tails_.emplace_back();
    IndexedVector<int> ends;
    for (const int speed : {coupling.v_dependent, coupling.v_of}) {
      if (model.coordinate(speed).motion < 0) ends.push_back(body_of_speed[speed]);
    }
    if (ends.empty()) continue;
    int a = ends.front();
    int b = ends.back();
    while (a != b) {
      int& deeper = depth(a) >= depth(b) ? a : b;
      tail.push_back(deeper);
      deeper = parent(deeper);
    }
    // Where one joint lies beyond the other, that one's body is met last; else the branches meet in a body that has no
    // part in it.
    if (a == ends.front() || a == ends.back()) tail.push_back(a);
  }
}

void SegmentPlan::add_couplings(const Model& model, const LoopGraph& graph) {
  for (int i = 0; i < coupling_tails_.count(); ++i) {
    if (coupling_tails_[i].empty()) continue;
    const Coupling& coupling = model.couplings()[i];
    const auto place_of = [&](const Segment& segment, int speed) {
      for (int j = 0; j < segment.slots.count(); ++j) {
        if (graph.slot_speed[segment.slots[j]] == speed) return j;
      }
      return -1;
    };
    for (Segment& segment : segments) {
      if (place_in(segment.bodies, coupling_tails_[i].front()) < 0) continue;
      segment.couplings.push_back(
          {i, place_of(segment, coupling.v_dependent), place_of(segment, coupling.v_of), coupling.ratio});
    }
  }
}

int SegmentPlan::block(int body, int ancestor) const noexcept {
  for (const int i : blocks_of_[body]) {
    if (blocks[i].ancestor == ancestor) return i;
  }
  return -1;
}

void SegmentPlan::choose_short_tails(const Model& model, const LoopGraph& graph,
                                     const IndexedVector<LoopSample>& samples) {
  IndexedVector<IndexedVector<int>> paths;
  for (int c = 0; c < graph.closings.count(); ++c) {
    paths.push_back(path_to_base(graph, graph.closings[c]));
    IndexedVector<LoopColumns> loops;
    loops.reserve(samples.size());
    for (const LoopSample& sample : samples) loops.push_back(loop_columns(graph, sample.motion, c, paths.back()));
    const std::size_t length = tail_length(loops, paths.back().size(), model.length_m());
    tails_.emplace_back(paths.back().begin(), paths.back().begin() + static_cast<long>(length));
  }
  while (widen_tails(graph, samples, paths, model.length_m())) {
  }
  IndexedVector<char> taken(graph.bodies.size(), 0);
  for (const IndexedVector<int>& tail : tails_) {
    for (const int b : tail) taken[b] = 1;
  }
  for (int c = 0; c < tails_.count(); ++c) {
    int spare = kSpareCoordinates;
    for (std::size_t n = tails_[c].size(); n < paths[c].size(); ++n) {
      const int b = paths[c][n];
      const int slots = graph.edges[graph.bodies[b].edge].slots;
      if (taken[b] != 0 || slots > spare) break;
      spare -= slots;
      taken[b] = 1;
      tails_[c].push_back(b);
    }
  }
}

bool SegmentPlan::widen_tails(const LoopGraph& graph, const IndexedVector<LoopSample>& samples,
                              const IndexedVector<IndexedVector<int>>& paths, double length_m) {
  const IndexedVector<int> group = groups_of(tails_, graph.bodies.size());
  for (int g = 0; g < group.count(); ++g) {
    IndexedVector<std::size_t> closings;
    std::set<int> bodies, all;
    for (int c = 0; c < group.count(); ++c) {
      if (group[c] != g) continue;
      closings.push_back(c);
      bodies.insert(tails_[c].begin(), tails_[c].end());
      all.insert(paths[c].begin(), paths[c].end());
    }
    if (closings.size() < 2 || bodies.size() == all.size()) continue;
    int rank = 0;
    bool good = false;
    for (const LoopSample& sample : samples) {
      rank = std::max(rank, span_together(graph, sample.motion, closings, paths, all, length_m).rank);
    }
    for (std::size_t s = 0; s < samples.size() && !good; ++s) {
      const Span span = span_together(graph, samples[s].motion, closings, paths, bodies, length_m);
      good = span.rank == rank && span.smallest >= kEnough;
    }
    if (good) continue;
    // The body next to the top, if some loop of the group passes through it.
    const auto depth = [&](int b) { return graph.bodies[b].depth; };
    const int top = *std::min_element(bodies.begin(), bodies.end(), [&](int a, int b) { return depth(a) < depth(b); });
    const int next = graph.bodies[top].parent;
    for (const std::size_t c : closings) {
      const auto found = std::find(paths[c].begin(), paths[c].end(), next);
      if (found == paths[c].end()) continue;
      tails_[c].assign(paths[c].begin(), found + 1);
      return true;
    }
  }
  return false;
}

void SegmentPlan::make_segments(const Model& model, const LoopGraph& graph, const ReducedLoopRows& rows) {
  segments.clear();
  // Tails that share a body belong together: each body knows a tail, each tail its group.
  IndexedVector<IndexedVector<int>> tails = tails_;
  tails.insert(tails.end(), coupling_tails_.begin(), coupling_tails_.end());
  const IndexedVector<int> group = groups_of(tails, graph.bodies.size());
  const auto root = [&](int c) { return group[c]; };
  IndexedVector<int> owner(graph.bodies.size(), -1);
  for (int c = 0; c < tails.count(); ++c) {
    for (const int b : tails[c]) owner[b] = c;
  }

  IndexedVector<int> segment_of_group(tails.size(), -1);
  IndexedVector<std::pair<int, int>> place(graph.bodies.size(), {-1, -1});  // body -> segment, place in it
  for (const int b : graph.order) {
    int s = owner[b] >= 0 ? segment_of_group[root(owner[b])] : -1;
    if (s < 0) {
      s = segments.count();
      segments.emplace_back();
      segments.back().parent = graph.bodies[b].parent;
      if (owner[b] >= 0) segment_of_group[root(owner[b])] = s;
    }
    const auto [parent_segment, parent_place] = place[graph.bodies[b].parent];
    place[b] = {s, segments[s].bodies.count()};
    add_body(graph, b, parent_segment == s ? parent_place : -1, segments[s]);
  }
  for (Segment& segment : segments) segment.first_slot.push_back(segment.slots.count());
  for (int c = 0; c < tails_.count(); ++c) {
    const int s = segment_of_group[root(c)];
    const GraphClosing& closing = graph.closings[c];
    const auto [base_segment, base_place] = place[closing.base];
    SegmentClosing own{c, place[closing.tip].second, base_segment == s ? base_place : -1};
    own.loop = graph.edges[closing.edge].loop;
    own.sign = closing.sign;
    own.relative = own.base >= 0 || closing.base == segments[s].parent;
    if (rows.keeps_coordinates(c)) add_coordinates(graph.edges[closing.edge], own, segments[s]);
    segments[s].closings.push_back(own);
  }
  // Segments were met top first; all that hangs on a segment's bodies comes later in that order.
  std::reverse(segments.begin(), segments.end());
  add_couplings(model, graph);
}

void SegmentPlan::find_boundaries(const LoopGraph& graph) {
  blocks_of_.resize(graph.bodies.size());
  const auto depth = [&](int b) { return graph.bodies[b].depth; };
  for (Segment& segment : segments) {
    if (segment.parent == 0) {  // what hangs on the ground leaves nothing open
      for (int i = 0; i < segment.bodies.count(); ++i) add_crosses(i, segment);
      continue;
    }
    std::set<int> bases;
    for (const int b : segment.bodies) {
      for (const int i : blocks_of_[b]) bases.insert(blocks[i].ancestor);
    }
    for (const SegmentClosing& c : segment.closings) bases.insert(graph.closings[c.index].base);
    segment.boundary.push_back(segment.parent);
    for (const int b : bases) {
      if (b != 0 && b != segment.parent && place_in(segment.bodies, b) < 0) segment.boundary.push_back(b);
    }
    for (SegmentClosing& c : segment.closings) {
      if (!c.relative) c.base_boundary = place_in(segment.boundary, graph.closings[c.index].base);
    }
    for (int e = 0; e < segment.boundary.count(); ++e) {
      for (int f = 0; f < segment.boundary.count(); ++f) {
        const int deep = segment.boundary[e];
        const int shallow = segment.boundary[f];
        if (depth(deep) <= depth(shallow)) continue;
        if (block(deep, shallow) < 0) {
          blocks_of_[deep].push_back(blocks.count());
          blocks.push_back({deep, shallow});
        }
        segment.pairs.push_back({e, f, block(deep, shallow)});
      }
    }
    for (int i = 0; i < segment.bodies.count(); ++i) add_crosses(i, segment);
  }
}

void SegmentPlan::add_crosses(std::size_t place, Segment& segment) const {
  for (const int i : blocks_of_[segment.bodies[place]]) {
    const int ancestor = blocks[i].ancestor;
    SegmentCross cross{static_cast<int>(place), i, place_in(segment.bodies, ancestor)};
    if (cross.inside < 0) cross.boundary = place_in(segment.boundary, ancestor);
    if (cross.boundary > 0) cross.handed_on = block(segment.parent, ancestor);
    segment.crosses.push_back(cross);
  }
}

}  // namespace kinloop

// Sizes the memory that the segments of a plan share.
#include "core/dynamics/rcr/rcr_mechanism.hpp"

#include <algorithm>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

IndexedVector<double> masses(const Model& model) {
  IndexedVector<double> all(at(model.body_count()));
  for (int k = 1; k < model.body_count(); ++k) all[k] = model.body(k).mass;
  return all;
}

IndexedVector<char> find_gathering(const LoopGraph& graph, const SegmentPlan& plan) {
  IndexedVector<char> gathers(graph.bodies.size());
  for (const Segment& segment : plan.segments) {
    for (const int b : segment.boundary) gathers[b] = 1;
    bool biased = false;
    for (const int b : segment.bodies) {
      biased = biased || graph.edges[graph.bodies[b].edge].loop >= 0;
      if (biased) gathers[b] = 1;
    }
  }
  return gathers;
}

}  // namespace

template <class Algebra>
BasicRcrMechanism<Algebra>::BasicRcrMechanism(const Model& model, SearchOrder search, Tails tails,
                                              const SegmentPlan* first)
    : BasicRcrMechanism(model, LoopGraph(model, search), tails, first) {}

template <class Algebra>
BasicRcrMechanism<Algebra>::BasicRcrMechanism(const Model& model, const LoopGraph& own, Tails tails,
                                              const SegmentPlan* first)
    : BasicRcrMechanism(model, own, loop_samples(model, own), tails, first) {}

template <class Algebra>
BasicRcrMechanism<Algebra>::BasicRcrMechanism(const Model& model, const LoopGraph& own,
                                              const IndexedVector<LoopSample>& samples, Tails tails,
                                              const SegmentPlan* first)
    : graph(own),
      rows(model, graph, samples),
      plan(model, graph, samples, rows, tails, first),
      motion(model, graph),
      mass(masses(model)),
      length_m(model.length_m()),
      gathers(find_gathering(graph, plan)) {}

template <class Algebra>
BasicRcrWorkspace<Algebra>::BasicRcrWorkspace(const Model& model)
    : K(at(model.body_count())), F(K.size()), A(K.size()) {}

template <class Algebra>
void BasicRcrWorkspace<Algebra>::fit(std::size_t bodies, std::size_t pairs) {
  composite.resize(std::max(composite.size(), bodies));
  B.resize(std::max(B.size(), pairs));
}

template struct BasicRcrMechanism<SpatialAlgebra>;
template struct BasicRcrMechanism<PlanarAlgebra>;
template struct BasicRcrWorkspace<SpatialAlgebra>;
template struct BasicRcrWorkspace<PlanarAlgebra>;

}  // namespace kinloop

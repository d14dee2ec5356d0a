// Sets up the memory.
#include "core/dynamics/rcr/rcr_mechanism.hpp"

#include <algorithm>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

std::vector<double> masses(const Model& model) {
  std::vector<double> all(at(model.body_count()));
  for (int k = 1; k < model.body_count(); ++k) all[at(k)] = model.body(k).mass;
  return all;
}

std::vector<char> find_gathering(const LoopGraph& graph, const SegmentPlan& plan) {
  std::vector<char> gathers(graph.bodies.size());
  for (const Segment& segment : plan.segments) {
    for (const int b : segment.boundary) gathers[at(b)] = 1;
    bool biased = false;
    for (const int b : segment.bodies) {
      biased = biased || graph.edges[at(graph.bodies[at(b)].edge)].loop >= 0;
      if (biased) gathers[at(b)] = 1;
    }
  }
  return gathers;
}

}  // namespace

RcrMechanism::RcrMechanism(const Model& model, SearchOrder search, Tails tails)
    : RcrMechanism(model, LoopGraph(model, search), tails) {}

RcrMechanism::RcrMechanism(const Model& model, const LoopGraph& own, Tails tails)
    : RcrMechanism(model, own, loop_samples(model, own), tails) {}

RcrMechanism::RcrMechanism(const Model& model, const LoopGraph& own, const std::vector<LoopSample>& samples,
                           Tails tails)
    : graph(own),
      rows(model, graph, samples),
      plan(model, graph, samples, rows, tails),
      motion(model, graph),
      mass(masses(model)),
      length_m(model.length_m()),
      gathers(find_gathering(graph, plan)) {}

RcrWorkspace::RcrWorkspace(const Model& model) : K(at(model.body_count())), F(K.size()), A(K.size()) {}

void RcrWorkspace::fit(std::size_t bodies, std::size_t pairs) {
  composite.resize(std::max(composite.size(), bodies));
  B.resize(std::max(B.size(), pairs));
}

}  // namespace kinloop

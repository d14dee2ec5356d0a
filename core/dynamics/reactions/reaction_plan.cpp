// What ReactionSweep knows of the model alone: multipliers, lengths, room.
#include <algorithm>

#include "core/base/at.hpp"
#include "core/dynamics/reactions/reaction_sweep.hpp"
#include "core/math/counter_noise.hpp"

namespace kinloop {
namespace {

/// Live multipliers for which there is room wherever so many can be, so that none need be chosen early.
constexpr int kComfortable = 96;
/// Room for multipliers that outlive their loop.
constexpr int kSpareLive = 6;

/// Of either sign, between 0.5 and 1.5 in size, the same in every run; nothing for the loads.
RightSides drawn(std::size_t number, double scale) {
  RightSides values{};
  for (std::size_t side = 1; side < values.size(); ++side) {
    constexpr std::uint64_t kSeed = 0x5e1f57e55;
    const auto purpose = static_cast<std::uint32_t>(side);
    const double u = uniform_noise({kSeed, static_cast<std::uint32_t>(number), purpose}, 0);
    values[side] = scale * (u < 0.5 ? -0.5 - 2.0 * u : 2.0 * u - 0.5);
  }
  return values;
}

}  // namespace

ReactionSweep::ReactionSweep(const Model& model)
    : graph_(model),
      motion_(model, graph_),
      rows_(model, graph_, loop_samples(model, graph_)),
      tips_(at(model.body_count())),
      bases_(at(model.body_count())),
      coupled_(at(graph_.slot_count())),
      length_m_(at(model.body_count()), model.length_m()),
      open_(at(model.body_count()), 0),
      elimination_({}, {}),
      wrench_(at(model.body_count())),
      closing_wrench_(graph_.closings.size()),
      stress_N_(at(model.body_count()), 0.0),
      stress_Nm_(at(model.body_count()), 0.0),
      closing_stress_N_(graph_.closings.size(), 0.0),
      joints_(at(model.body_count())),
      loops_(model.loops().size()) {
  find_closings();
  find_couplings(model);
  direction_.resize(at(first_coupling_));
  elimination_ = MultiplierElimination(sizes(model), multipliers_);
}

void ReactionSweep::find_closings() {
  for (int c = 0; c < graph_.closings.count(); ++c) {
    const GraphClosing& closing = graph_.closings[c];
    const double length_m = rows_.length_m(at(c));
    const Closing& own = closings_.emplace_back(
        Closing{first_coupling_, static_cast<int>(rows_.of(at(c)).size()), draws_.count(), length_m});
    for (int i = 0; i < own.count; ++i) multipliers_.push_back({length_m, drawn(multipliers_.size(), length_m)});
    for (std::size_t i = 0; i < rows_.unmoved(at(c)).size(); ++i) draws_.push_back(drawn(~draws_.size(), length_m));
    first_coupling_ += own.count;
    tips_[closing.tip].push_back(c);
    bases_[closing.base].push_back(c);
    for (const int b : path_to_base(graph_, closing)) {
      length_m_[b] = open_[b] == 0 ? length_m : std::min(length_m_[b], length_m);
      ++open_[b];
    }
  }
}

void ReactionSweep::find_couplings(const Model& model) {
  IndexedVector<int> slot_of(at(model.nv()), -1);
  for (int s = 0; s < graph_.slot_count(); ++s) {
    if (graph_.slot_speed[s] >= 0) slot_of[graph_.slot_speed[s]] = s;
  }
  for (const Coupling& coupling : model.couplings()) {
    const int i = coupling_slots_.count();
    const int dependent = slot_of[coupling.v_dependent];
    const int of = slot_of[coupling.v_of];
    if (dependent >= 0) coupled_[dependent].push_back({i, 1.0});
    if (of >= 0) coupled_[of].push_back({i, -coupling.ratio});
    coupling_slots_.push_back((dependent >= 0 ? 1 : 0) + (of >= 0 ? 1 : 0));
    unit_slot_.push_back(dependent >= 0 ? dependent : of);
    multipliers_.push_back({model.length_m(), drawn(multipliers_.size(), model.length_m())});
  }
  coupling_unit_.assign(coupling_slots_.size(), 1.0);
  coupling_left_.assign(coupling_slots_.size(), 0);
}

/// As if every multiplier lived from its tip to its base: what is determined earlier makes room. Where loops overlap so
/// much that a step should not carry all that, twice the room that is enough in any position.
MultiplierElimination::Sizes ReactionSweep::sizes(const Model& model) const {
  MultiplierElimination::Sizes most{model.body_count(), 0, 0};
  IndexedVector<char> is_moved(at(model.body_count()), 0);
  IndexedVector<int> left = coupling_slots_;
  int live = 0;
  int waiting = 0;
  int most_waiting = 0;
  int most_of_closing = 0;  // which wait for its coordinates
  int moved_count = 0;
  const auto move = [&](int body) {
    if (body == MultiplierElimination::kGround || is_moved[body] != 0) return;
    is_moved[body] = 1;
    most.moved = std::max(most.moved, ++moved_count);
  };
  const auto meet = [&](int edge) {
    int done = 0;
    const GraphEdge& of = graph_.edges[edge];
    for (int s = of.first_slot; s < of.first_slot + of.slots; ++s) {
      for (const CoupledSlot& coupled : coupled_[s]) {
        if (left[coupled.coupling] == coupling_slots_[coupled.coupling]) {
          most.live = std::max(most.live, ++live);
          most_waiting = std::max(most_waiting, ++waiting);
        }
        if (--left[coupled.coupling] == 0) ++done;
      }
    }
    live -= done;
    waiting -= done;
  };
  for (int i = graph_.order.count() - 1; i >= 0; --i) {
    const int b = graph_.order[i];
    for (const int c : bases_[b]) live -= closings_[c].count;
    for (const int c : tips_[b]) {
      live += closings_[c].count;
      most.live = std::max(most.live, live);
      most_of_closing = std::max(most_of_closing, closings_[c].count);
      move(b);
      move(graph_.closings[c].base);
      meet(graph_.closings[c].edge);
    }
    meet(graph_.bodies[b].edge);
    if (is_moved[b] == 0) continue;
    move(graph_.bodies[b].parent);
    is_moved[b] = 0;
    --moved_count;
  }
  const int enough = MultiplierElimination::smallest_room(most.moved, most_waiting + most_of_closing);
  most.live = std::max(std::min(most.live + kSpareLive, kComfortable), 2 * enough);
  most.live = std::min(most.live, static_cast<int>(multipliers_.size()));
  return most;
}

}  // namespace kinloop

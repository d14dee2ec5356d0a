// Owns RcrSystem: all components of a mechanism, each solved in the way that its state asks for; in space, or in the
// plane that the mechanism stays in.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/dynamics/rcr/rcr_components.hpp"

namespace kinloop {

template <class Algebra>
class BasicRcrSystem {
 public:
  using Vector = typename Algebra::Vector;
  using View = typename Algebra::View;
  using Mechanism = BasicRcrMechanism<Algebra>;
  using Component = BasicRcrComponent<Algebra>;
  using Way = BasicRcrWay<Algebra>;

  explicit BasicRcrSystem(const Model& model, View view = View());

  /// A way for every component, by the state alone: the first with strong pivots, or the best of all.
  void choose(const Workspace& ws, double tolerance) noexcept;
  /// As many dependents as chosen before, in the same ways.
  void hold(const Workspace& ws) noexcept;
  /// Over all components; of those that delay rows after solve() only. `free` counts beyond the usual number.
  RcrBasis basis() const noexcept;
  /// Whether some component chooses while it is solved.
  bool delays_rows() const noexcept;
  /// Whether some component has another way than when this was last asked.
  bool has_switched() noexcept;
  /// Of loops and of couplings that are rows of segments, at nearly all closed positions.
  bool knows_rank() const noexcept { return parts_.usual_rank >= 0; }
  const IndexedVector<Component>& components() const noexcept { return components_; }
  /// That of the first component: slots and columns.
  const Mechanism& plan() const noexcept { return *components_[0].way().plan; }

  /// Factors, and with them unknowns and accelerations from the loads: in one pass while a segment is at hand. False if
  /// an unknown that depends on no other moves no inertia, in any of the ways.
  bool solve(const ConstraintTarget& wanted, const Workspace& ws, double tolerance) noexcept;
  /// The same in the ways at hand.
  bool solve_held(const ConstraintTarget& wanted, const Workspace& ws) noexcept;

  /// Forces on bodies for sweep(), at x_k.
  void set_forces(const std::vector<SpatialVector>& forces) noexcept {
    for (int k = 0; k < all_.F.count(); ++k) all_.F[k] = view_.of(forces[static_cast<std::size_t>(k)]);
  }
  void clear_forces() noexcept { std::fill(all_.F.begin(), all_.F.end(), Vector{}); }
  /// Unknowns from those, tau per speed and the motions wanted of the loop constraints.
  void sweep(const ConstraintTarget& wanted, const VectorX& tau) noexcept;
  /// The same, for what an answer leaves over of the forces: loop constraints carry most of it.
  void refining_sweep(const ConstraintTarget& wanted, const VectorX& tau) noexcept;
  void take_speeds(VectorX& rates) const noexcept;
  /// Coordinates that closing joints do without have no inertia of their own, in whatever way they are solved.
  bool takes_armature(const VectorX& added) const noexcept;

 private:
  /// A segment of a way in use.
  struct Used {
    SegmentElimination<Algebra>* segment = nullptr;
    const Mechanism* plan = nullptr;
    std::size_t component = 0;
  };
  struct UsedAcross {
    RcrAcross of;
    const Mechanism* plan = nullptr;
  };

  /// Ways that a component was solved in without success.
  struct Tried {
    std::size_t first = 0, next = 0;
  };

  void prepare(std::size_t plan) noexcept;
  RcrBasis choose_way(double tolerance, Way& way) noexcept;
  static RcrBasis choose_prepared(double tolerance, Way& way) noexcept;
  bool is_settled(const Component& component, int free) const noexcept;
  /// Lists what the ways at hand are made of.
  void list_used() noexcept;
  void add_forces_across(const VectorX& tau) noexcept;
  void outward() noexcept;

  View view_;
  RcrTarget<Algebra> target_;
  BasicRcrWorkspace<Algebra> all_;
  RcrComponents<Algebra> parts_;
  IndexedVector<Component>& components_;
  IndexedVector<char> prepared_;       // per plan: for the evaluation at hand
  IndexedVector<char> is_used_;        // per plan: in some way at hand
  IndexedVector<Tried> tried_;         // per component
  IndexedVector<std::size_t> listed_;  // per component: the way that the lists are of
  IndexedVector<std::size_t> before_;  // per component: the way when has_switched() was last asked
  IndexedVector<Used> used_;
  IndexedVector<UsedAcross> across_;
  IndexedVector<int> gathering_, blocks_;
  std::size_t failed_ = 0;  // component whose inertia was singular
};

extern template class BasicRcrSystem<SpatialAlgebra>;
extern template class BasicRcrSystem<PlanarAlgebra>;

using RcrSystem = BasicRcrSystem<SpatialAlgebra>;

}  // namespace kinloop

// Joins the bodies between the ends of every loop; then one pass over the speeds.
#include "core/integrators/loop_speeds.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

constexpr double kLargestJump = 0.5;
constexpr double kLargestTurn = 2.0;
constexpr double kLargestEnergyShare = 0.1;
constexpr double kFallen = 1e-3;  // of the mechanism's length

class BodySets {
 public:
  explicit BodySets(int count) : root_(at(count)), in_loop_(at(count), 0) { std::iota(root_.begin(), root_.end(), 0); }
  int find(int body) const {
    while (root_[at(body)] != body) body = root_[at(body)];
    return body;
  }
  void join(int a, int b) {
    in_loop_[at(a)] = in_loop_[at(b)] = 1;
    a = find(a);
    b = find(b);
    root_[at(std::max(a, b))] = std::min(a, b);
  }
  bool is_in_loop(int body) const { return in_loop_[at(body)] != 0; }

 private:
  std::vector<int> root_;
  std::vector<char> in_loop_;
};

}  // namespace

LoopSpeeds::LoopSpeeds(const Model& model)
    : component_(at(model.nv()), -1), V_(at(model.body_count())), change_(VectorX::Zero(model.nv())) {
  const double gravity = model.gravity().norm();
  const double length_m = model.length_m();
  double mass = 0.0;
  for (int k = 1; k < model.body_count(); ++k) mass += model.body(k).mass;
  inverse_length2_ = 1.0 / (length_m * length_m);
  slow2_ = 2.0 * kFallen * (gravity > 0.0 ? gravity / length_m : 9.81);
  little_J_ = 0.5 * mass * length_m * length_m * slow2_;
  BodySets sets(model.body_count());
  for (const LoopJoint& loop : model.loops()) {
    int a = loop.predecessor;
    int b = loop.successor;
    int moved = -1;  // by the loop's own speeds
    while (a != b) {
      int& outer = a > b ? a : b;
      sets.join(moved < 0 ? outer : moved, outer);
      moved = outer;
      outer = model.body(outer).parent;
    }
  }
  for (const Coupling& coupling : model.couplings()) {
    sets.join(model.coordinate(coupling.v_dependent).body, model.coordinate(coupling.v_of).body);
  }
  std::vector<int> number(at(model.body_count()), -1);
  for (int i = 0; i < model.nv(); ++i) {
    const int body = model.coordinate(i).body;
    if (!sets.is_in_loop(body)) continue;
    int& own = number[at(sets.find(body))];
    if (own < 0) {
      own = static_cast<int>(largest_.size());
      largest_.emplace_back();
    }
    component_[at(i)] = own;
  }
}

bool LoopSpeeds::is_beyond(double share) const noexcept {
  return std::any_of(largest_.begin(), largest_.end(),
                     [&](const Largest& own) { return own.change2 > share * share * own.speed2; });
}

double LoopSpeeds::kinetic_energy(const Model& model, const Workspace& ws, const double* v) noexcept {
  double twice_J = 0.0;
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    SpatialVector V = shift_motion(V_[at(body.parent)], ws.motion[at(k)].r);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      V.angular += v[i] * ws.Hw[at(i)];
      V.linear += v[i] * ws.Hv[at(i)];
      twice_J += ws.armature[i] * v[i] * v[i];
    }
    V_[at(k)] = V;
    const BodyLoad& load = ws.load[at(k)];
    twice_J += dot(V.angular, load.J * V.angular) + 2.0 * dot(V.linear, cross(V.angular, load.mc)) +
               body.mass * dot(V.linear, V.linear);
  }
  return 0.5 * twice_J;
}

bool LoopSpeeds::is_forceful(double of_change_J, double of_motion_J) const noexcept {
  return of_change_J > kLargestEnergyShare * std::max(of_motion_J, little_J_);
}

bool LoopSpeeds::may_turn(const Workspace& ws, const double* v, const VectorX& acceleration, double dt_s) noexcept {
  double least2 = slow2_;
  for (const LoopConstraint& constraint : ws.loop_constraint) {
    for (const PrescribedMotion& drive : constraint.prescribed) {
      const SpatialVector& a = drive.acceleration;
      least2 = std::max(least2, dt_s * dt_s * (dot(a.angular, a.angular) + inverse_length2_ * dot(a.linear, a.linear)));
    }
  }
  std::fill(largest_.begin(), largest_.end(), Largest{least2, 0.0});
  for (std::size_t i = 0; i < component_.size(); ++i) {
    if (component_[i] < 0) continue;
    const auto s = static_cast<Eigen::Index>(i);
    const double unit2 = size2(ws, i);
    const double driven = dt_s * ws.prescribed[s];
    const double change = dt_s * acceleration[s];
    Largest& own = largest_[at(component_[i])];
    own.speed2 = std::max(own.speed2, unit2 * std::max(v[i] * v[i], driven * driven));
    own.change2 = std::max(own.change2, unit2 * change * change);
  }
  return is_beyond(kLargestTurn);
}

bool LoopSpeeds::would_turn(const Model& model, const Workspace& ws, const double* v, const VectorX& acceleration,
                            double dt_s) noexcept {
  if (!may_turn(ws, v, acceleration, dt_s)) return false;
  change_ = dt_s * acceleration;
  const double of_motion_J = kinetic_energy(model, ws, v);
  return is_forceful(kinetic_energy(model, ws, change_.data()), of_motion_J);
}

bool LoopSpeeds::have_jumped(const Model& model, const Workspace& ws, const VectorX& before,
                             const VectorX& after) noexcept {
  std::fill(largest_.begin(), largest_.end(), Largest{slow2_, 0.0});
  for (std::size_t i = 0; i < component_.size(); ++i) {
    if (component_[i] < 0) continue;
    const auto s = static_cast<Eigen::Index>(i);
    const double unit2 = size2(ws, i);
    const double change = after[s] - before[s];
    Largest& own = largest_[at(component_[i])];
    own.speed2 = std::max(own.speed2, unit2 * std::max(before[s] * before[s], after[s] * after[s]));
    own.change2 = std::max(own.change2, unit2 * change * change);
  }
  if (!is_beyond(kLargestJump)) return false;
  change_ = after - before;
  const double of_motion_J =
      std::max(kinetic_energy(model, ws, before.data()), kinetic_energy(model, ws, after.data()));
  return is_forceful(kinetic_energy(model, ws, change_.data()), of_motion_J);
}

}  // namespace kinloop

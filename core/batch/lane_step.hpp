// Owns LaneStep: semi-implicit Euler and the explicit Runge-Kutta methods for W states at once, in the order of
// core/integrators.
#pragma once

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/base/indexed_vector.hpp"
#include "core/batch/batch.hpp"
#include "core/batch/lane_loops.hpp"
#include "core/integrators/free_rotation.hpp"
#include "core/integrators/runge_kutta.hpp"
#include "core/kinematics/configuration.hpp"

namespace kinloop::batch {

/// What a step does, whatever the width.
struct LanePlan {
  std::span<const RungeKuttaStage> stages;  // none: semi-implicit Euler
  double dt_s = 0.0;
  Stabilization loops;
};

template <int W>
class LaneStep final : public Batch {
  using L = Lane<W>;

 public:
  LaneStep(const Model& model, const LanePlan& plan, LoopPlan loops)
      : model_(model),
        plan_(plan),
        mechanism_(model),
        rotation_(model),
        q0_(model.nq()),
        q_(q0_),
        v0_(model.nv()),
        v_(v0_),
        increment_(v0_),
        rate_(v0_),
        increment_sum_(v0_),
        velocity_sum_(v0_),
        trial_q_(q0_),
        step_(v0_),
        ws_(model),
        one_q0_(q0_.size()),
        one_q_(q0_.size()),
        one_v_(v0_.size()),
        one_increment_(v0_.size()) {
    if (model.has_loops()) loops_.emplace(model, std::move(loops));
    for (int i = 0; i < model.nv(); ++i) {
      if (model.coordinate(i).q >= 0) scalars_.push_back({model.coordinate(i).q, i});
    }
    for (int k = 1; k < model.body_count(); ++k) drifts_ = drifts_ || rotation_.is_for(k);
  }

  int width() const noexcept override { return W; }

  void step(std::span<State* const> states, std::span<const double* const> tau,
            std::span<char> done) noexcept override {
    require(!states.empty() && std::ssize(states) <= W && tau.size() == states.size() && done.size() == states.size(),
            "as many states as the batch is wide, with loads and answers");
    lanes_ = static_cast<int>(states.size());
    take(states, tau);
    bad_ = {};
    if (plan_.stages.empty()) {
      euler();
    } else {
      runge_kutta();
    }
    if (!bad_.all()) finish(states);
    for (int lane = 0; lane < lanes_; ++lane) {
      done[lane] = bad_[lane] ? 0 : 1;
      if (bad_[lane]) continue;
      State& state = *states[lane];
      scatter(q_, lane, state.q().data());
      scatter(v_, lane, state.v().data());
      advance_time(state, plan_.dt_s);
      state.set_history_count(0);
    }
  }

 private:
  struct Scalar {
    int q, v;
  };

  /// Lanes without a state are copies of the first.
  void take(std::span<State* const> states, std::span<const double* const> tau) noexcept {
    std::array<const double*, W> q;
    std::array<const double*, W> v;
    std::array<const double*, W> t;
    for (int lane = 0; lane < W; ++lane) {
      const int i = lane < lanes_ ? lane : 0;
      q[lane] = std::as_const(*states[i]).q().data();
      v[lane] = std::as_const(*states[i]).v().data();
      t[lane] = tau[i];
      time_s_.set(lane, states[i]->time_s());
    }
    gather(q, q0_);
    gather(v, v0_);
    gather(t, mechanism_.applied());
    if (!model_.driven_speeds().empty()) prescribe(time_s_, q0_, v0_);
  }

  static void gather(const std::array<const double*, W>& from, IndexedVector<L>& to) noexcept {
    for (std::size_t c = 0; c < to.size(); ++c) {
      typename L::Numbers numbers{};
      for (int lane = 0; lane < W; ++lane) numbers[lane] = from[lane][c];
      to[c].v = numbers;
    }
  }
  static void scatter(const IndexedVector<L>& from, int lane, double* to) noexcept {
    const auto* numbers = reinterpret_cast<const double*>(from.data());
    for (std::size_t c = 0; c < from.size(); ++c) to[c] = numbers[c * W + lane];
  }

  void prescribe(const L& time_s, IndexedVector<L>& q, IndexedVector<L>& v) noexcept {
    for (const int i : model_.driven_speeds()) {
      const CoordinateConstants& c = model_.coordinate(i);
      for (int lane = 0; lane < W; ++lane) {
        const FunctionValue value = model_.motions()[c.motion](time_s[lane]);
        q[c.q].set(lane, value.f);
        v[i].set(lane, value.d1);
      }
    }
  }

  void evaluate(const IndexedVector<L>& q, const IndexedVector<L>& v, const L& time_s, bool is_first) noexcept {
    mechanism_.template update_kinematics<Find::kAll>(q, v, time_s);
    if (loops_) loops_->update(mechanism_);
    mechanism_.add_forces(q, v, lanes_);
    if (!loops_) {
      bad_ |= mechanism_.solve_tree();
      return;
    }
    bad_ |= loops_->solve(mechanism_, is_first);
    if (is_first) bad_ |= loops_->misses_motion(mechanism_);
  }

  void euler() noexcept {
    const L dt(plan_.dt_s);
    evaluate(q0_, v0_, time_s_, true);
    const IndexedVector<L>& vdot = mechanism_.vdot();
    for (std::size_t i = 0; i < v_.size(); ++i) {
      const L v = v0_[i] + dt * vdot[i];
      v_[i] = v;
      increment_[i] = dt * v;
    }
    if (drifts_) drift();
    advance(q0_, increment_, q_);
  }

  void runge_kutta() noexcept {
    const IndexedVector<L>& vdot = mechanism_.vdot();
    q_ = q0_;
    v_ = v0_;
    for (std::size_t i = 0; i < v_.size(); ++i) increment_[i] = increment_sum_[i] = velocity_sum_[i] = L();
    bool is_first = true;
    for (const auto& [node, weight] : plan_.stages) {
      const L part(node * plan_.dt_s);
      const L share(weight * plan_.dt_s);
      if (!is_first) {
        for (std::size_t i = 0; i < v_.size(); ++i) {
          increment_[i] = part * rate_[i];
          v_[i] = v0_[i] + part * vdot[i];
        }
        advance(q0_, increment_, q_);
        prescribe(time_s_ + part, q_, v_);
      }
      evaluate(q_, v_, time_s_ + part, is_first);
      is_first = false;
      find_rate();
      for (std::size_t i = 0; i < v_.size(); ++i) {
        increment_sum_[i] += share * rate_[i];
        velocity_sum_[i] += share * vdot[i];
      }
    }
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = v0_[i] + velocity_sum_[i];
    advance(q0_, increment_sum_, q_);
  }

  /// q = q0 + increment; q may be q0.
  void advance(const IndexedVector<L>& q0, const IndexedVector<L>& increment, IndexedVector<L>& q) noexcept {
    if (model_.quaternion_bodies().empty()) {
      for (const Scalar& s : scalars_) q[s.q] = q0[s.q] + increment[s.v];
      return;
    }
    for (int lane = 0; lane < lanes_; ++lane) {
      take_one(q0, lane, one_q0_);
      take_one(increment, lane, one_increment_);
      advance_configuration(model_, one_q0_.data(), one_increment_.data(), one_q_.data());
      put_one(one_q_, lane, q);
    }
  }

  void find_rate() noexcept {
    rate_ = v_;
    if (model_.quaternion_bodies().empty()) return;
    for (int lane = 0; lane < lanes_; ++lane) {
      take_one(increment_, lane, one_increment_);
      take_one(v_, lane, one_v_);
      increment_rate(model_, one_increment_.data(), one_v_.data(), one_v_.data());
      put_one(one_v_, lane, rate_);
    }
  }

  void drift() noexcept {
    for (int lane = 0; lane < lanes_; ++lane) {
      for (int k = 1; k < model_.body_count(); ++k) {
        if (rotation_.is_for(k)) mechanism_.gather(k, lane, ws_);
      }
      for (int i = 0; i < model_.nv(); ++i) ws_.vdot[i] = mechanism_.vdot_of(i)[lane];
      take_one(v0_, lane, step_of_one_);
      take_one(v_, lane, one_v_);
      take_one(increment_, lane, one_increment_);
      if (!rotation_.drift(model_, ws_, step_of_one_.data(), plan_.dt_s, one_v_.data(), one_increment_.data())) {
        bad_.bits[lane] = -1;
      }
      put_one(one_v_, lane, v_);
      put_one(one_increment_, lane, increment_);
    }
  }

  /// Closes loops, and looks whether the end is sound.
  void finish(std::span<State* const> states) noexcept {
    if (!model_.driven_speeds().empty()) {
      L end_s;
      for (int lane = 0; lane < W; ++lane) {
        end_s.set(lane, time_after(*states[lane < lanes_ ? lane : 0], plan_.dt_s));
      }
      prescribe(end_s, q_, v_);
    }
    if (loops_) {
      close_positions();
      close_velocities();
    }
    // 0 * x is 0 for every finite x and no number otherwise.
    L finite;
    for (const L& x : q_) finite += L(0.0) * x;
    L fastest;
    for (const L& x : v_) {
      finite += L(0.0) * x;
      fastest = larger(fastest, magnitude(x));
    }
    bad_ |= ~(finite <= L(0.0)) | ~(fastest <= L(kMaxSpeed * std::max(1.0, model_.length_m())));
  }

  /// As ConstraintProjection with the factors of the last evaluation; states that want fresh ones go the single path.
  /// `correct` ends the errors that `find` found.
  template <class FindErrors, class Correct>
  void iterate(const L& tolerance, const FindErrors& find, const Correct& correct) noexcept {
    constexpr double kSlow = 0.1;
    Mask<W> settled = bad_;
    L before(std::numeric_limits<double>::infinity());
    for (int i = 0;; ++i) {
      const L error = find();
      settled |= error <= tolerance;
      if (settled.all()) return;
      const Mask<W> slow = ~settled & ~(error <= L(kSlow) * before);
      bad_ |= slow;
      settled |= slow;
      if (i == plan_.loops.max_iterations) bad_ |= ~settled;
      if (settled.all() || i == plan_.loops.max_iterations) return;
      before = error;
      correct(settled);
    }
  }

  void close_positions() noexcept {
    L largest;
    for (const L& x : q_) largest = larger(largest, magnitude(x));
    const L rounding = L(4.0 * std::numeric_limits<double>::epsilon()) * largest;
    iterate(
        larger(L(plan_.loops.tolerance), rounding),
        [&]() noexcept {
          mechanism_.template update_kinematics<Find::kPositions>(q_, v_, time_s_);
          return loops_->position_error(mechanism_, q_);
        },
        [&](const Mask<W>& settled) noexcept {
          loops_->correct_positions(step_);
          advance(q_, step_, trial_q_);
          for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = select(settled, q_[i], trial_q_[i]);
        });
  }

  void close_velocities() noexcept {
    L largest;
    for (const L& x : v_) largest = larger(largest, magnitude(x));
    iterate(
        L(plan_.loops.tolerance) * (L(1.0) + largest),
        [&]() noexcept {
          mechanism_.update_velocities(v_);
          return loops_->velocity_error(mechanism_, v_);
        },
        [&](const Mask<W>& settled) noexcept {
          loops_->correct_velocities(step_);
          for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = select(settled, v_[i], v_[i] + step_[i]);
        });
  }

  static void take_one(const IndexedVector<L>& from, int lane, IndexedVector<double>& to) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i][lane];
  }
  static void put_one(const IndexedVector<double>& from, int lane, IndexedVector<L>& to) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) to[i].set(lane, from[i]);
  }

  const Model& model_;
  LanePlan plan_;
  LaneMechanism<W> mechanism_;
  std::optional<LaneLoops<W>> loops_;
  FreeRotation rotation_;
  bool drifts_ = false;
  IndexedVector<Scalar> scalars_;
  int lanes_ = 0;
  L time_s_;
  Mask<W> bad_;  // states for the single path
  IndexedVector<L> q0_, q_, v0_, v_;
  IndexedVector<L> increment_, rate_, increment_sum_, velocity_sum_;
  IndexedVector<L> trial_q_, step_;
  Workspace ws_;  // of one state
  IndexedVector<double> one_q0_, one_q_, one_v_, one_increment_;
  IndexedVector<double> step_of_one_ = IndexedVector<double>(v0_.size());
};

}  // namespace kinloop::batch

// Owns State: everything that alters the future of a mechanism, in one block of doubles.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/model/model.hpp"

namespace kinloop {

/// Samples of past steps that multi-step integrators look back at.
inline constexpr int kHistoryDepth = 3;

class State {
 public:
  /// The model's initial state at time 0, without history; `device_state_size` doubles are for what is around it.
  explicit State(const Model& model, int device_state_size = 0)
      : nq_(model.nq()),
        nv_(model.nv()),
        device_state_size_(device_state_size),
        block_(VectorX::Zero(kHeader + (1 + kHistoryDepth) * sample_size() + device_state_size)) {
    q() = model.initial_q();
    v() = model.initial_v();
    independent().setConstant(-1.0);
  }

  double& time_s() noexcept { return block_[0]; }
  double time_s() const noexcept { return block_[0]; }

  Eigen::Map<VectorX> q() noexcept { return {block_.data() + kHeader, nq_}; }
  Eigen::Map<const VectorX> q() const noexcept { return {block_.data() + kHeader, nq_}; }
  Eigen::Map<VectorX> v() noexcept { return {block_.data() + kHeader + nq_, nv_}; }
  Eigen::Map<const VectorX> v() const noexcept { return {block_.data() + kHeader + nq_, nv_}; }

  /// The coordinates that `partition` treats as independent: 1, the others 0; -1 while none are chosen.
  Eigen::Map<VectorX> independent() noexcept { return {block_.data() + kHeader + nq_ + nv_, nv_}; }
  Eigen::Map<const VectorX> independent() const noexcept { return {block_.data() + kHeader + nq_ + nv_, nv_}; }

  /// What time_s lost to rounding: time_s + carry is the sum of all steps, to twice the digits.
  double& time_carry_s() noexcept { return block_[3]; }
  double time_carry_s() const noexcept { return block_[3]; }

  /// How many samples of the history are valid. 0 makes a multi-step integrator start afresh: wanted after every
  /// change of q or v from outside.
  int history_count() const noexcept { return static_cast<int>(block_[1]); }
  void set_history_count(int count) noexcept { block_[1] = count; }
  /// The slot of the newest sample in the ring.
  int history_head() const noexcept { return static_cast<int>(block_[2]); }
  void set_history_head(int slot) noexcept { block_[2] = slot; }
  /// The distance of the samples in time.
  double history_dt_s() const noexcept { return block_[4]; }
  void set_history_dt_s(double dt_s) noexcept { block_[4] = dt_s; }
  /// What the samples mean, and so to which integrators: core/integrators/history.hpp.
  int history_kind() const noexcept { return static_cast<int>(block_[5]); }
  void set_history_kind(int kind) noexcept { block_[5] = kind; }
  /// Slot of the ring: q, v and vdot of one past step.
  Eigen::Map<VectorX> history(int slot) noexcept {
    return {block_.data() + kHeader + nq_ + 2 * nv_ + slot * sample_size(), sample_size()};
  }
  Eigen::Map<const VectorX> history(int slot) const noexcept {
    return {block_.data() + kHeader + nq_ + 2 * nv_ + slot * sample_size(), sample_size()};
  }
  int sample_size() const noexcept { return nq_ + 2 * nv_; }

  /// Steps of the plant so far, those in which it stood still included; a double counts exactly for 28000 years at 10
  /// kHz.
  std::uint64_t step() const noexcept { return static_cast<std::uint64_t>(block_[6]); }
  void count_step() noexcept { block_[6] += 1.0; }
  /// How much work the last step was given: 0 is all of it.
  int level() const noexcept { return static_cast<int>(block_[7]); }
  void set_level(int level) noexcept { block_[7] = level; }

  /// Memory of actuators and sensors; core/plant/plant.hpp says whose.
  Eigen::Map<VectorX> device_state() noexcept {
    return {block_.data() + (block_.size() - device_state_size_), device_state_size_};
  }
  Eigen::Map<const VectorX> device_state() const noexcept {
    return {block_.data() + (block_.size() - device_state_size_), device_state_size_};
  }

  /// The whole: save, restore, compare and hash are one pass over it.
  const VectorX& block() const noexcept { return block_; }
  VectorX& block() noexcept { return block_; }

  /// Where in the head of a block from outside stands what cannot be there in a state with so many levels: something
  /// that the accessors above could not bear. -1: nowhere.
  static int flaw_in_head(const double* block, int levels) noexcept {
    const auto is_whole = [](double x, double most) { return x >= 0.0 && x <= most && x == std::floor(x); };
    constexpr double kMaxKinds = 1e6;  // of histories: compared, never an index
    constexpr double kMaxSteps = 9e15;
    if (!(block[0] >= 0.0)) return 0;
    if (!is_whole(block[1], kHistoryDepth)) return 1;
    if (!is_whole(block[2], kHistoryDepth - 1)) return 2;
    if (!is_whole(block[5], kMaxKinds)) return 5;
    if (!is_whole(block[6], kMaxSteps)) return 6;
    return is_whole(block[7], levels - 1) ? -1 : 7;
  }

  // Time, history count and head, time carry, history step and kind, step, level; q is aligned to 64 bytes.
  static constexpr int kHeader = 8;

 private:
  int nq_;
  int nv_;
  int device_state_size_;
  VectorX block_;
};

}  // namespace kinloop

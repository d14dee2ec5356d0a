// Owns State: everything that alters the future of a mechanism, in one block of doubles.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// Samples of past steps that multi-step integrators look back at.
inline constexpr int kHistoryDepth = 3;

class State {
 public:
  /// The model's initial state at time 0, without history.
  explicit State(const Model& model)
      : nq_(model.nq()), nv_(model.nv()), block_(VectorX::Zero(kHeader + (nq_ + nv_) + kHistoryDepth * sample_size())) {
    q() = model.initial_q();
    v() = model.initial_v();
  }

  double& time_s() noexcept { return block_[0]; }
  double time_s() const noexcept { return block_[0]; }

  Eigen::Map<VectorX> q() noexcept { return {block_.data() + kHeader, nq_}; }
  Eigen::Map<const VectorX> q() const noexcept { return {block_.data() + kHeader, nq_}; }
  Eigen::Map<VectorX> v() noexcept { return {block_.data() + kHeader + nq_, nv_}; }
  Eigen::Map<const VectorX> v() const noexcept { return {block_.data() + kHeader + nq_, nv_}; }

  /// How many samples of the history are valid, newest at index 0.
  int history_count() const noexcept { return static_cast<int>(block_[1]); }
  void set_history_count(int count) noexcept { block_[1] = count; }
  /// The slot of the newest sample in the ring.
  int history_head() const noexcept { return static_cast<int>(block_[2]); }
  void set_history_head(int slot) noexcept { block_[2] = slot; }
  /// Slot of the ring: q, v and vdot of one past step.
  Eigen::Map<VectorX> history(int slot) noexcept {
    return {block_.data() + kHeader + nq_ + nv_ + slot * sample_size(), sample_size()};
  }
  Eigen::Map<const VectorX> history(int slot) const noexcept {
    return {block_.data() + kHeader + nq_ + nv_ + slot * sample_size(), sample_size()};
  }
  int sample_size() const noexcept { return nq_ + 2 * nv_; }

  /// The whole: save, restore, compare and hash are one pass over it.
  const VectorX& block() const noexcept { return block_; }
  VectorX& block() noexcept { return block_; }

 private:
  static constexpr int kHeader = 4;  // time, history count, history head, reserved: keeps q aligned to 32 bytes
  int nq_;
  int nv_;
  VectorX block_;
};

}  // namespace kinloop

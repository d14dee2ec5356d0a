// Owns AdapterSet: all adapters of a plant as one, for the two threads of io.
#pragma once

#include "services/io/adapter.hpp"

namespace kinloop::io {

class AdapterSet {
 public:
  AdapterSet() = default;
  explicit AdapterSet(std::vector<std::unique_ptr<Adapter>> adapters)
      : adapters_(std::move(adapters)), told_(adapters_.size()) {}

  /// What rt::PlantMemory holds of the plant; null: nothing yet.
  void begin(const rt::LoopStatus* plant, std::int64_t now_ns) {
    for (const auto& adapter : adapters_) adapter->begin(plant != nullptr ? *plant : rt::LoopStatus{}, now_ns);
  }
  std::vector<int> descriptors() const {
    std::vector<int> result;
    for (const auto& adapter : adapters_) {
      if (adapter->descriptor() >= 0) result.push_back(adapter->descriptor());
    }
    return result;
  }
  void receive(std::int64_t now_ns) {
    for (const auto& adapter : adapters_) adapter->receive(now_ns);
  }
  void send(const rt::SensorFrame& frame, std::int64_t now_ns) {
    for (const auto& adapter : adapters_) adapter->send(frame, now_ns);
  }
  bool is_waiting() const noexcept {
    for (const auto& adapter : adapters_) {
      if (adapter->is_waiting()) return true;
    }
    return false;
  }
  std::int64_t refused() const noexcept {
    std::int64_t sum = 0;
    for (const auto& adapter : adapters_) sum += adapter->refused();
    return sum;
  }
  /// Calls tell(refused, text) for each whose trouble is another one than before. Seldom: it may change with every
  /// datagram.
  template <class Tell>
  void tell_trouble(std::int64_t now_ns, Tell tell) {
    constexpr std::int64_t kBetween_ns = 1'000'000'000;
    if (now_ns < next_ns_) return;
    next_ns_ = now_ns + kBetween_ns;
    for (std::size_t i = 0; i < adapters_.size(); ++i) {
      std::string trouble = adapters_[i]->trouble();
      if (trouble == told_[i]) continue;
      tell(adapters_[i]->refused(), trouble);
      told_[i] = std::move(trouble);
    }
  }

 private:
  std::vector<std::unique_ptr<Adapter>> adapters_;
  std::vector<std::string> told_;
  std::int64_t next_ns_ = 0;
};

}  // namespace kinloop::io

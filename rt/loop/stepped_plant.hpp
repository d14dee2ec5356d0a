// Owns SteppedPlant: the plant that is being stepped, with all that alters its future.
#pragma once

#include <utility>

#include "core/plant/plant.hpp"
#include "rt/loop/input_source.hpp"
#include "rt/policies/fault_policy.hpp"

namespace kinloop::rt {

struct SteppedPlant {
  Plant* plant;  // another one once the parameters are others
  State& state;
  InputSource& input;
  FaultPolicy fault;
  ClosingWatch* watch = nullptr;  // of whichever plant is stepped

  void set_watch(ClosingWatch* other) noexcept {
    watch = other;
    plant->set_watch(other);
  }
  /// The plant that was stepped so far.
  Plant& replace(Plant& other) noexcept {
    plant->set_watch(nullptr);
    other.set_watch(watch);
    return *std::exchange(plant, &other);
  }
};

}  // namespace kinloop::rt

// Owns PlantExchange: how a plant that was rebuilt beside the loop, with other parameters, takes the place of the one
// that is being stepped.
//
// Between two threads of one process: the builder offers, the loop takes at the top of a tick and gives the old plant
// back, for the builder to take apart. One exchange at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/plant/plant.hpp"

namespace kinloop::rt {

class PlantExchange {
 public:
  struct Offer {
    Plant* plant = nullptr;
    const State* first = nullptr;  // where it would start
    std::uint64_t request = 0;     // that the loop answers when it has taken the plant
    std::uint64_t number = 0;      // of the set of parameters, for the journal
    std::uint64_t state = 0;       // of the state in the buffer that it begins with; 0: it goes on from the present one
  };

  /// By the builder, after collect() gave the plant of the last exchange. The offer must outlive the exchange.
  void offer(Offer& offer) noexcept { offered_.store(&offer, std::memory_order_release); }  // with the plant in it
  /// By the builder: the plant that is no longer used, the offered one where the loop would not have it; nullptr: not
  /// yet.
  Plant* collect() noexcept { return returned_.exchange(nullptr, std::memory_order_acquire); }
  /// By the builder: takes an offer back that the loop will not take any more; false: it has.
  bool withdraw() noexcept { return offered_.exchange(nullptr, std::memory_order_acq_rel) != nullptr; }

  /// By the loop: what take() would give, nullptr: no offer. One load. It is withdrawn only once the loop has ended.
  const Offer* look() const noexcept { return offered_.load(std::memory_order_acquire); }  // sees what the builder made
  /// By the loop; nullptr: no offer.
  const Offer* take() noexcept { return offered_.exchange(nullptr, std::memory_order_acquire); }
  /// By the loop: it never looks at this plant again.
  void give_back(Plant& plant) noexcept { returned_.store(&plant, std::memory_order_release); }

 private:
  std::atomic<Offer*> offered_{nullptr};
  std::atomic<Plant*> returned_{nullptr};
};

}  // namespace kinloop::rt

// Owns the thread beside the loop that rebuilds the plant with other parameters, and takes the old one apart.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

#include "rt/loop/plant_exchange.hpp"
#include "rt/loop/plant_memory.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::run {

class PlantBuilder {
 public:
  /// It stays off the plant's core, -1: there is none. All must outlive it.
  PlantBuilder(std::filesystem::path rig_file, int plant_core, rt::PlantMemory& memory, rt::PlantExchange& exchange);
  /// After the loop has ended, whose plant may be one of these.
  ~PlantBuilder();
  PlantBuilder(const PlantBuilder&) = delete;
  PlantBuilder& operator=(const PlantBuilder&) = delete;

 private:
  /// A plant with all that it stands on.
  struct Built {
    explicit Built(LoadedRig loaded) : rig(std::move(loaded)) {}
    LoadedRig rig;
    std::unique_ptr<Plant> plant;
    std::unique_ptr<State> first;
    rt::PlantExchange::Offer offer;
  };

  void run();
  void build(const rt::BuildRequest& request);
  Result<std::unique_ptr<Built>> make(const rt::BuildRequest& request) const;
  bool exchange_for(std::unique_ptr<Built> next);
  void tell_of(const Plant& plant);
  void refuse(std::uint64_t id, const std::string& why);

  std::filesystem::path rig_file_;
  int plant_core_;
  rt::PlantMemory& memory_;
  rt::PlantExchange& exchange_;
  std::unique_ptr<Built> current_;  // nothing while the first plant runs, which is not ours
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

}  // namespace kinloop::run

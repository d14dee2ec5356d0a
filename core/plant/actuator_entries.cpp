// Lists what actuators remember, for analysis.
#include <algorithm>

#include "core/plant/actuator_set.hpp"

namespace kinloop {

std::vector<DeviceStateEntry> ActuatorSet::entries(const PlantSpec& spec, std::uint64_t moved,
                                                   std::span<const Shown> shown) const {
  constexpr double kLeastPressure_Pa = 1e5;
  std::vector<DeviceStateEntry> all;
  for (int i = 0; i < size(); ++i) {
    add_chain_entries(spec, i, moved, all);
    add_own_entries(spec, i, shown, all);
  }
  for (std::size_t p = 0; p < spec.pumps.size(); ++p) {
    all.push_back({"pressure." + spec.pumps[p].name, -1, pump_at(static_cast<int>(p)), kLeastPressure_Pa, -1, 0.0});
  }
  return all;
}

void ActuatorSet::add_chain_entries(const PlantSpec& spec, int actuator, std::uint64_t moved,
                                    std::vector<DeviceStateEntry>& all) const {
  const Port& port = ports_[at(actuator)];
  const CommandChain& chain = port.chain;
  const std::string& name = spec.actuators[at(actuator)].name;
  const auto add = [&](const std::string& what, int place, bool is_last) {
    const bool is_force = is_last && port.type->force == ForceSource::kCommand;
    all.push_back({what, actuator, port.chain_at + place, 0.0, is_force ? port.force_at : -1, is_force ? 1.0 : 0.0});
  };
  const int depth = chain.delay_depth();
  if (chain.limits_rate()) add("rate." + name, CommandChain::rate_place(), depth == 0 && !chain.lags());
  for (int age = 1; age <= depth; ++age) {
    add("delay." + name + "." + std::to_string(age), chain.delay_place(moved, age), false);
  }
  if (chain.lags()) add("lag." + name, CommandChain::lag_place(), true);
}

void ActuatorSet::add_own_entries(const PlantSpec& spec, int actuator, std::span<const Shown> shown,
                                  std::vector<DeviceStateEntry>& all) const {
  const Port& port = ports_[at(actuator)];
  const std::string& name = spec.actuators[at(actuator)].name;
  const auto shows = [&](int what) {
    return std::any_of(shown.begin(), shown.end(),
                       [&](const Shown& one) { return one.actuator == actuator && one.what == what; });
  };
  int number = 0;
  for (const QuantityName& named : port.type->quantities) {
    const ActuatorQuantity quantity = quantity_of(actuator, number);
    if (quantity.alters_the_future || shows(number)) {
      const int force_at = port.type->force == ForceSource::kQuantities ? port.force_at : -1;
      all.push_back({std::string(named.word) + "." + name, actuator, quantity.place, named.size, force_at,
                     quantity.force_per_unit});
    }
    ++number;
  }
  // The command that a delay lets out is in no later state.
  const bool is_late = port.type->force == ForceSource::kCommand && port.chain.delay_depth() > 0 && !port.chain.lags();
  if (shows(kItsForce) && (is_late || port.type->force == ForceSource::kMean)) {
    all.push_back({"force." + name, actuator, port.force_at, 0.0, -1, 0.0});
  }
}

std::vector<int> ActuatorSet::direct_forces() const {
  std::vector<int> places;
  for (const Port& port : ports_) {
    const bool remembers = port.chain.limits_rate() || port.chain.delay_depth() > 0 || port.chain.lags();
    places.push_back(port.type->force == ForceSource::kCommand && !remembers ? port.force_at : -1);
  }
  return places;
}

}  // namespace kinloop

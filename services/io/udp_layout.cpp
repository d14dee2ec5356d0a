// Takes names and units from the rig's description, as every other client does.
#include "services/io/udp_layout.hpp"

#include "core/base/require.hpp"
#include "services/io/description.hpp"
#include "services/io/udp_frame.hpp"
#include "services/wire/hash.hpp"

namespace kinloop::io {
namespace {

template <class Signals>
std::vector<UdpSignal> chosen(const Signals& all, const std::vector<std::string>& names) {
  std::vector<UdpSignal> result;
  for (const std::string& name : names) {
    int i = 0;
    while (i < all.size() && all[i].name() != name) ++i;
    require(i < all.size(), "adapters name signals of their rig");
    result.push_back({name, all[i].unit(), static_cast<std::size_t>(i), all[i].lower(), all[i].upper()});
  }
  return result;
}

std::vector<std::size_t> indices_of(const std::vector<UdpSignal>& signals) {
  std::vector<std::size_t> result;
  result.reserve(signals.size());
  for (const UdpSignal& signal : signals) result.push_back(signal.index);
  return result;
}

std::uint64_t hash_of_layout(const UdpLayout& layout) {
  std::string text = "version " + std::to_string(kUdpVersion) + "\n";
  for (const UdpSignal& signal : layout.actuators) text += "actuator " + signal.name + " " + signal.unit + "\n";
  for (const UdpSignal& signal : layout.sensors) text += "sensor " + signal.name + " " + signal.unit + "\n";
  return wire::hash_of(text);
}

}  // namespace

std::vector<std::size_t> UdpLayout::actuator_indices() const { return indices_of(actuators); }
std::vector<std::size_t> UdpLayout::sensor_indices() const { return indices_of(sensors); }

UdpLayout make_udp_layout(const LoadedRig& rig, const UdpAdapterSpec& adapter) {
  const v1::Description all = describe(rig, 0);
  UdpLayout layout{chosen(all.actuators(), adapter.actuators), chosen(all.sensors(), adapter.sensors)};
  layout.hash = hash_of_layout(layout);
  return layout;
}

}  // namespace kinloop::io

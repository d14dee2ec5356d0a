// The one table of adapters: each kind of the rig file, and what it is made into.
#include <set>

#include "core/base/nearest_name.hpp"
#include "services/io/playback_adapter.hpp"
#include "services/io/udp_adapter.hpp"

namespace kinloop::io {
namespace {

using Made = Result<std::unique_ptr<Adapter>>;

class Maker {
 public:
  Maker(const LoadedRig& rig, CommandArbiter& commands) : rig_(rig), commands_(commands) {}

  /// `name` is that of the rig's field: "adapters[0]".
  Made make(const AdapterSpec& spec, const std::string& name) {
    name_ = name;
    return std::visit([this](const auto& one) { return one_of(one); }, spec);
  }

 private:
  Made one_of(const UdpAdapterSpec& spec) {
    auto adapter = UdpAdapter::open(name_, spec, make_udp_layout(rig_, spec), rig_.spec.mode, commands_);
    if (!adapter) return adapter.error();
    return std::unique_ptr<Adapter>(std::move(adapter).value());
  }

  Made one_of(const PlaybackAdapterSpec& spec) {
    if (rig_.spec.mode == rt::Mode::kFree) return Error{name_ + ".kind", kNoPlaybackInFree};
    Result<Stimulus> stimulus = load_stimulus(spec, rig_);
    if (!stimulus) return Error{name_ + ".file: " + stimulus.error().where, stimulus.error().what};
    for (const std::size_t actuator : stimulus->actuators) {
      if (played_.insert(actuator).second) continue;
      return Error{name_ + ".file: " + spec.file.string(),
                   in_quotes(rig_.spec.plant.actuators[actuator].name) + " is played by another adapter already"};
    }
    return std::unique_ptr<Adapter>(
        std::make_unique<PlaybackAdapter>(name_, spec, std::move(stimulus).value(), rig_.spec, commands_));
  }

  const LoadedRig& rig_;
  CommandArbiter& commands_;
  std::string name_;
  std::set<std::size_t> played_;
};

}  // namespace

Result<std::vector<std::unique_ptr<Adapter>>> make_adapters(const LoadedRig& rig, CommandArbiter& commands) {
  std::vector<std::unique_ptr<Adapter>> adapters;
  Maker maker(rig, commands);
  for (std::size_t i = 0; i < rig.spec.adapters.size(); ++i) {
    Made adapter = maker.make(rig.spec.adapters[i], "adapters[" + std::to_string(i) + "]");
    if (!adapter) return adapter.error();
    adapters.push_back(std::move(adapter).value());
  }
  return adapters;
}

}  // namespace kinloop::io

// The one table of adapters.
#include "services/io/adapter.hpp"

namespace kinloop::io {

Result<std::vector<std::unique_ptr<Adapter>>> make_adapters(const LoadedRig& /*rig*/, CommandDesk& /*commands*/) {
  return std::vector<std::unique_ptr<Adapter>>{};
}

}  // namespace kinloop::io

// Field by field.
#include "services/io/change_codec.hpp"

#include <algorithm>

namespace kinloop::io {

void to_wire(const StepChange& change, v1::StepChange& out) {
  out.set_kind(static_cast<std::uint32_t>(change.kind));
  out.set_target(change.target);
  out.set_fault(static_cast<std::uint32_t>(change.fault));
  out.set_off(change.off != 0);
  out.set_value(change.value);
  out.set_steps(change.steps);
  out.mutable_wrench()->Assign(change.wrench.begin(), change.wrench.end());
}

StepChange change_of(const v1::StepChange& wire) {
  StepChange change;
  change.kind = static_cast<ChangeKind>(wire.kind());
  change.target = wire.target();
  change.fault = static_cast<SignalFault>(wire.fault());
  change.off = wire.off() ? 1 : 0;
  change.value = wire.value();
  change.steps = wire.steps();
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(wire.wrench_size()), change.wrench.size());
  std::copy_n(wire.wrench().begin(), count, change.wrench.begin());
  return change;
}

}  // namespace kinloop::io

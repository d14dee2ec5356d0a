// Copies changes to messages and back, field by field.
#include "services/wire/change_codec.hpp"

#include <algorithm>

namespace kinloop::wire {

void to_wire(const StepChange& change, v1::StepChange& out) {
  out.set_kind(static_cast<std::uint32_t>(change.kind));
  out.set_target(change.target);
  out.set_fault(static_cast<std::uint32_t>(change.fault));
  out.set_off(change.off != 0);
  out.set_value(change.value);
  out.set_steps(change.steps);
  out.mutable_wrench()->Assign(change.wrench.begin(), change.wrench.end());
}

v1::FaultKind kind_of(SignalFault fault) {
  switch (fault) {
    case SignalFault::kOff:
      return v1::FAULT_KIND_OFF;
    case SignalFault::kStuck:
      return v1::FAULT_KIND_STUCK;
    case SignalFault::kBias:
      return v1::FAULT_KIND_BIAS;
    case SignalFault::kDrift:
      return v1::FAULT_KIND_DRIFT;
    case SignalFault::kNoise:
      return v1::FAULT_KIND_NOISE;
    case SignalFault::kWrongSign:
      return v1::FAULT_KIND_WRONG_SIGN;
    case SignalFault::kDelay:
      return v1::FAULT_KIND_DELAY;
    case SignalFault::kDrop:
      return v1::FAULT_KIND_DROP;
    case SignalFault::kNone:
      break;
  }
  return v1::FAULT_KIND_UNSPECIFIED;
}

SignalFault fault_of(v1::FaultKind kind) {
  switch (kind) {
    case v1::FAULT_KIND_OFF:
      return SignalFault::kOff;
    case v1::FAULT_KIND_STUCK:
      return SignalFault::kStuck;
    case v1::FAULT_KIND_BIAS:
      return SignalFault::kBias;
    case v1::FAULT_KIND_DRIFT:
      return SignalFault::kDrift;
    case v1::FAULT_KIND_NOISE:
      return SignalFault::kNoise;
    case v1::FAULT_KIND_WRONG_SIGN:
      return SignalFault::kWrongSign;
    case v1::FAULT_KIND_DELAY:
      return SignalFault::kDelay;
    case v1::FAULT_KIND_DROP:
      return SignalFault::kDrop;
    default:
      return SignalFault::kNone;
  }
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

}  // namespace kinloop::wire

// The units' names, as files and the page write them.
#include "core/base/signal_unit.hpp"

namespace kinloop {

std::string_view name_of(SignalUnit unit) noexcept {
  switch (unit) {
    case SignalUnit::kRad:
      return "rad";
    case SignalUnit::kRadPerS:
      return "rad/s";
    case SignalUnit::kRadPerS2:
      return "rad/s^2";
    case SignalUnit::kM:
      return "m";
    case SignalUnit::kMPerS:
      return "m/s";
    case SignalUnit::kMPerS2:
      return "m/s^2";
    case SignalUnit::kN:
      return "N";
    case SignalUnit::kNm:
      return "Nm";
    case SignalUnit::kA:
      return "A";
    case SignalUnit::kPa:
      return "Pa";
    case SignalUnit::kNone:
      return "";
  }
  return "";
}

}  // namespace kinloop

// The table of joint types: a new joint is its file, its line in types.hpp and its entry here.
#include <array>

#include "core/joints/types.hpp"

namespace kinloop {
namespace {

const std::array<JointKind, 11>& table() noexcept {
  // Made on first use, at compile(): the entries live in other files and are no constant expressions here.
  static const std::array<JointKind, 11> kinds = {
      joints::kFixed,       joints::kRevolute,  joints::kPrismatic, joints::kScrew,
      joints::kCylindrical, joints::kUniversal, joints::kSpherical, joints::kPlanar,
      joints::kFree,        joints::kPinSlot,   joints::kCam,
  };
  return kinds;
}

}  // namespace

std::span<const JointKind> joint_kinds() noexcept { return table(); }

const JointKind& joint_kind(JointType type) noexcept { return table()[static_cast<std::size_t>(type)]; }

std::span<const SpeedKind> speed_kinds(JointType type) noexcept {
  const JointKind& kind = joint_kind(type);
  return {kind.speeds.data(), static_cast<std::size_t>(kind.nv)};
}

}  // namespace kinloop

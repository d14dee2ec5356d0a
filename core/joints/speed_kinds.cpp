// The table of speeds, one line a joint type.
#include "core/joints/speed_kinds.hpp"

#include <array>

namespace kinloop {
namespace {

constexpr SpeedKind kA = SpeedKind::kAngle;
constexpr SpeedKind kL = SpeedKind::kLength;

constexpr std::array kOneAngle{kA};
constexpr std::array kOneLength{kL};
constexpr std::array kAngleAndLength{kA, kL};
constexpr std::array kTwoAngles{kA, kA};
constexpr std::array kThreeAngles{kA, kA, kA};
constexpr std::array kInPlane{kL, kL, kA};
constexpr std::array kInSpace{kL, kL, kL, kA, kA, kA};
constexpr std::array kInSlot{kL, kA};

}  // namespace

std::span<const SpeedKind> speed_kinds(JointType type) noexcept {
  switch (type) {
    case JointType::kFixed:
      return {};
    case JointType::kRevolute:
    case JointType::kScrew:
      return kOneAngle;
    case JointType::kPrismatic:
      return kOneLength;
    case JointType::kCylindrical:
      return kAngleAndLength;
    case JointType::kUniversal:
    case JointType::kCam:
      return kTwoAngles;
    case JointType::kSpherical:
      return kThreeAngles;
    case JointType::kPlanar:
      return kInPlane;
    case JointType::kFree:
      return kInSpace;
    case JointType::kPinSlot:
      return kInSlot;
  }
  return {};
}

}  // namespace kinloop

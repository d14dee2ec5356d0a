// Owns the names of the joint types.
#pragma once

namespace kinloop {

enum class JointType {
  kFixed,
  kRevolute,
  kPrismatic,
  kScrew,
  kCylindrical,
  kUniversal,
  kSpherical,
  kPlanar,
  kFree,
  kPinSlot,
  kCam,
};

}  // namespace kinloop

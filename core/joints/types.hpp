// Owns the list of joint types for table.cpp: each is defined in the file of its name.
#pragma once

#include "core/joints/joint.hpp"

namespace kinloop::joints {

extern const JointKind kFixed;
extern const JointKind kRevolute;
extern const JointKind kPrismatic;
extern const JointKind kScrew;
extern const JointKind kCylindrical;
extern const JointKind kUniversal;
extern const JointKind kSpherical;
extern const JointKind kPlanar;
extern const JointKind kFree;
extern const JointKind kPinSlot;
extern const JointKind kCam;

}  // namespace kinloop::joints

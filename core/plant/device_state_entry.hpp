// Owns DeviceStateEntry: a continuous number of the device state (State::device_state) and its public name.
//
//   rate.<actuator>                       the command behind the rate limit
//   delay.<actuator>.<age>                commands on their way; 1 is the newest
//   lag.<actuator>                        the command behind the lag
//   current.<actuator>                    of a DC motor, A
//   pressure.<pump>  pressure_a.<actuator>  pressure_b.
//                                         Pa
//   force.<actuator>                      held over the last sub-step, N or Nm. No later step depends on it; it is
//                                         there where a sensor shows it, or accelerations, and it follows from nothing
//                                         else that is remembered
#pragma once

#include <string>

namespace kinloop {

struct DeviceStateEntry {
  std::string name;
  int actuator = -1;  // -1: of a pump
  int at = 0;         // in State::device_state()
  double size = 0.0;  // the least that counts as large; 0: that depends on the mechanism
  // An actuator's force that is a multiple of it at every moment, and so must move with it; -1: none.
  int force_at = -1;
  double force_per_unit = 0.0;
};

}  // namespace kinloop

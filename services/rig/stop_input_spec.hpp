// Owns StopInputSpec: what a rig file says of a button or a safety chain that is wired to the host itself.
#pragma once

#include <cstdint>
#include <string>

namespace kinloop {

struct StopInputSpec {
  enum class Kind { kKey, kGpio };
  /// What the contact is while all is well.
  enum class Contact { kNormallyOpen, kNormallyClosed };
  enum class Active { kHigh, kLow };
  enum class Bias { kAsIs, kPullUp, kPullDown, kDisabled };

  Kind kind = Kind::kKey;
  std::string device;      // /dev/input/event3, /dev/gpiochip0
  std::uint16_t key = 0;   // of <linux/input-event-codes.h>
  std::uint32_t line = 0;  // of the chip
  Contact contact = Contact::kNormallyClosed;
  Active active = Active::kHigh;
  Bias bias = Bias::kAsIs;
};

}  // namespace kinloop

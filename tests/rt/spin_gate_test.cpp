// Tests that who spins in vain soon stops to do so, and begins again.
#include "rt/ipc/spin_gate.hpp"

#include <gtest/gtest.h>

namespace kinloop::rt {
namespace {

int waits_until_open(SpinGate& gate) {
  int waits = 0;
  while (!gate.lets_spin()) ++waits;
  return waits;
}

TEST(SpinGate, StaysOpenWhileSignalsCome) {
  SpinGate gate;

  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(gate.lets_spin());
    gate.tell(true);
  }
}

TEST(SpinGate, ClosesForTwiceAsLongWithEachTimeInVainUpToABound) {
  SpinGate gate;
  int last = 0;

  for (const int expected : {1, 3, 7, 15, 31, 63, 127, 255, 255}) {
    gate.tell(false);
    last = waits_until_open(gate);
    EXPECT_EQ(last, expected);
  }
  EXPECT_EQ(last, static_cast<int>(SpinGate::kMaxClosed));
}

TEST(SpinGate, OneSignalMakesItForgetWhatWasInVain) {
  SpinGate gate;
  for (int i = 0; i < 10; ++i) gate.tell(false);
  waits_until_open(gate);

  gate.tell(true);
  gate.tell(false);

  EXPECT_EQ(waits_until_open(gate), 1);
}

}  // namespace
}  // namespace kinloop::rt

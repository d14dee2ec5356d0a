// Tests that a command that was changed on its way is noticed.
#include "rt/messages/command.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace kinloop::rt {
namespace {

Command sealed_command() {
  Command command;
  command.sequence = 77;
  command.rearm = 5;
  command.count = 3;
  command.epoch = 2;
  for (std::size_t i = 0; i < 3; ++i) command.give(i, 1.5 * static_cast<double>(i));
  command.seal();
  return command;
}

TEST(Command, AnyBitThatIsChangedIsNoticed) {
  const Command good = sealed_command();
  ASSERT_TRUE(good.is_intact());
  ASSERT_FALSE(Command{}.is_intact()) << "memory of zeros is no command";
  const auto with_bit = [&](std::size_t bit) {
    Command changed = good;
    auto* bytes = reinterpret_cast<unsigned char*>(&changed);
    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    return changed;
  };
  const std::size_t values = offsetof(Command, value);
  const std::size_t counts = offsetof(Command, given);

  for (std::size_t bit = 0; bit < 8 * (values + 3 * sizeof(double)); ++bit)
    EXPECT_FALSE(with_bit(bit).is_intact()) << bit;
  for (std::size_t bit = 8 * counts; bit < 8 * (counts + 3 * 4); ++bit) EXPECT_FALSE(with_bit(bit).is_intact()) << bit;
  EXPECT_TRUE(with_bit(8 * (values + 3 * sizeof(double))).is_intact()) << "what no actuator reads";
}

TEST(Command, HalfOfOneAndHalfOfTheNextIsNoticed) {
  const Command first = sealed_command();
  Command second = first;
  second.sequence = 78;
  for (std::size_t i = 0; i < 3; ++i) second.give(i, -4.0);
  second.seal();

  for (std::size_t cut = 8; cut < offsetof(Command, value) + 3 * sizeof(double); cut += 8) {
    Command torn = first;
    std::memcpy(static_cast<void*>(&torn), &second, cut);
    EXPECT_FALSE(torn.is_intact()) << cut;
  }
}

TEST(Command, ACountBeyondAllActuatorsIsReadWithinItsBounds) {
  Command command = sealed_command();
  command.count = 0xffffffff;

  EXPECT_FALSE(command.is_intact());
}

}  // namespace
}  // namespace kinloop::rt

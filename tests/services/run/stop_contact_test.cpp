// Tests what counts as a stop at a button or a safety chain, with events as the kernel writes them, through a pipe.
#include "services/run/stop_contact.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/gpio.h>
#include <linux/input.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

namespace kinloop::run {
namespace {

using State = StopContact::State;
using Contact = StopInputSpec::Contact;

class StopContactTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe2(ends_.data(), O_NONBLOCK | O_CLOEXEC), 0); }
  void TearDown() override { unplug(); }

  std::unique_ptr<StopContact> key(Contact contact) {
    StopInputSpec spec;
    spec.device = "/dev/input/event3";
    spec.key = KEY_STOP;
    spec.contact = contact;
    return key_contact(spec, ends_[0]);
  }
  std::unique_ptr<StopContact> line(Contact contact) {
    StopInputSpec spec;
    spec.kind = StopInputSpec::Kind::kGpio;
    spec.line = 17;
    spec.contact = contact;
    return gpio_contact(spec, ends_[0]);
  }
  template <class Event>
  void send(const Event& event, std::size_t bytes = sizeof(Event), std::size_t from = 0) {
    ASSERT_EQ(::write(ends_[1], reinterpret_cast<const char*>(&event) + from, bytes), static_cast<ssize_t>(bytes));
  }
  static input_event key_event(std::uint16_t code, std::int32_t value) {
    input_event event{};
    event.type = EV_KEY;
    event.code = code;
    event.value = value;
    return event;
  }
  static gpio_v2_line_event edge(std::uint32_t line, std::uint32_t id) {
    gpio_v2_line_event event{};
    event.offset = line;
    event.id = id;
    return event;
  }
  void unplug() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

TEST_F(StopContactTest, AKeyThatIsPressedStopsUntilItIsReleased) {
  const auto contact = key(Contact::kNormallyOpen);
  EXPECT_EQ(contact->read(), State::kWell);

  send(key_event(KEY_STOP, 1));
  EXPECT_EQ(contact->read(), State::kStops);
  EXPECT_EQ(contact->read(), State::kStops) << "it is still pressed";
  send(key_event(KEY_STOP, 0));
  EXPECT_EQ(contact->read(), State::kWell);
}

TEST_F(StopContactTest, APressThatIsOverWhenItIsReadIsAStop) {
  const auto contact = key(Contact::kNormallyOpen);
  send(key_event(KEY_STOP, 1));
  send(key_event(KEY_STOP, 0));

  EXPECT_EQ(contact->read(), State::kStops);
  EXPECT_EQ(contact->read(), State::kWell);
}

TEST_F(StopContactTest, OtherKeysAreNoStop) {
  const auto contact = key(Contact::kNormallyOpen);
  send(key_event(KEY_A, 1));
  input_event movement{};
  movement.type = EV_REL;
  movement.code = KEY_STOP;
  movement.value = 1;
  send(movement);

  EXPECT_EQ(contact->read(), State::kWell);
}

TEST_F(StopContactTest, AKeyThatShouldBeHeldStopsUntilItIsKnownToBe) {
  const auto contact = key(Contact::kNormallyClosed);
  EXPECT_EQ(contact->read(), State::kStops) << "nobody knows how it stands";

  send(key_event(KEY_STOP, 1));
  EXPECT_EQ(contact->read(), State::kWell);
  send(key_event(KEY_STOP, 2));
  EXPECT_EQ(contact->read(), State::kWell);
  send(key_event(KEY_STOP, 0));
  EXPECT_EQ(contact->read(), State::kStops);
}

TEST_F(StopContactTest, EventsThatWereDroppedMayHaveBeenAStop) {
  const auto contact = key(Contact::kNormallyOpen);
  input_event dropped{};
  dropped.type = EV_SYN;
  dropped.code = SYN_DROPPED;
  send(dropped);

  EXPECT_EQ(contact->read(), State::kStops);
  EXPECT_EQ(contact->read(), State::kWell);
}

TEST_F(StopContactTest, AnEventInTwoPartsIsOne) {
  const auto contact = key(Contact::kNormallyOpen);
  const input_event pressed = key_event(KEY_STOP, 1);
  send(pressed, 10);
  EXPECT_EQ(contact->read(), State::kWell);
  send(pressed, sizeof(pressed) - 10, 10);

  EXPECT_EQ(contact->read(), State::kStops);
}

TEST_F(StopContactTest, ADeviceThatGoesAwayIsLostWhateverItsContact) {
  const auto contact = key(Contact::kNormallyOpen);
  unplug();

  EXPECT_EQ(contact->read(), State::kLost);
}

/// One look at it ends, whatever comes meanwhile, and what it looks for is found in the flood.
TEST_F(StopContactTest, ADeviceThatFloodsIsReadInBoundedPartsAndItsStopIsFound) {
  const auto contact = key(Contact::kNormallyOpen);
  std::array<input_event, 64> noise{};
  noise.fill(key_event(KEY_A, 1));
  std::atomic<bool> ends{false};
  std::thread flood([&] {
    while (!ends) {
      if (::write(ends_[1], noise.data(), sizeof noise) < 0) std::this_thread::yield();
    }
  });

  for (int i = 0; i < 1000; ++i) EXPECT_EQ(contact->read(), State::kWell);
  const input_event pressed = key_event(KEY_STOP, 1);
  while (::write(ends_[1], &pressed, sizeof pressed) < 0) std::this_thread::yield();
  bool stops = false;
  for (int i = 0; i < 1000 && !stops; ++i) stops = contact->read() == State::kStops;

  EXPECT_TRUE(stops);
  ends = true;
  flood.join();
}

TEST_F(StopContactTest, ALineThatFallsIsACutWire) {
  const auto contact = line(Contact::kNormallyClosed);
  send(edge(17, GPIO_V2_LINE_EVENT_RISING_EDGE));
  EXPECT_EQ(contact->read(), State::kWell);

  send(edge(17, GPIO_V2_LINE_EVENT_FALLING_EDGE));
  EXPECT_EQ(contact->read(), State::kStops);
  send(edge(17, GPIO_V2_LINE_EVENT_RISING_EDGE));
  EXPECT_EQ(contact->read(), State::kWell);
}

TEST_F(StopContactTest, ALineThatBouncesIsAStop) {
  const auto contact = line(Contact::kNormallyOpen);
  send(edge(17, GPIO_V2_LINE_EVENT_RISING_EDGE));
  send(edge(17, GPIO_V2_LINE_EVENT_FALLING_EDGE));

  EXPECT_EQ(contact->read(), State::kStops);
  EXPECT_EQ(contact->read(), State::kWell);
}

TEST(StopContact, WhatIsNotThereIsAnError) {
  StopInputSpec spec;
  spec.device = "/dev/input/there_is_none";
  spec.key = KEY_ESC;
  const auto key = open_contact(spec);
  spec.kind = StopInputSpec::Kind::kGpio;
  spec.device = "/dev/null";
  const auto line = open_contact(spec);

  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().where, "/dev/input/there_is_none, KEY_ESC");
  EXPECT_EQ(key.error().what, "cannot be opened: No such file or directory");
  ASSERT_FALSE(line) << "it is no chip";
}

}  // namespace
}  // namespace kinloop::run

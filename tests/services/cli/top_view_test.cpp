// Tests the picture that top draws: what it shows, and that it fits every window.
#include "services/cli/top_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "services/cli/top_line.hpp"
#include "tests/services/clients/fake_plant.hpp"

namespace kinloop::cli {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> top_view_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TopView busy_view() {
  TopView view;
  view.description = FakePlant::description();
  view.status.set_state(v1::PLANT_STATE_PAUSED);
  view.status.set_step(4711);
  view.status.set_time_s(4.711);
  view.status.set_overruns(3);
  v1::Lease& lease = *view.status.add_leases();
  lease.add_actuators("motor");
  lease.set_holder("mpc");
  lease.set_time_left_s(0.5);
  v1::ActiveFault& fault = *view.status.add_faults();
  fault.set_signal("speed");
  fault.set_kind("bias");
  v1::ActiveFault& force = *view.status.add_faults();
  force.set_signal("crank");
  force.set_kind("force");
  view.timing.mutable_wakeup_ns()->set_p50(3100);
  view.timing.mutable_wakeup_ns()->set_p999(9400);
  view.timing.mutable_wakeup_ns()->set_max(23100);
  view.timing.mutable_slack_ns()->set_p50(950000);
  view.timing.mutable_slack_ns()->set_min(-400);
  view.frame = FakePlant::frame(4711, 0.5, 25.0);
  view.frame->set_quality(std::string("\0\x02", 2));
  view.steps_per_s = 999.9;
  for (std::uint64_t i = 1; i <= 50; ++i) {
    v1::Event event;
    event.set_step(i);
    event.set_kind("overrun");
    event.set_text("event number " + std::to_string(i));
    view.events.push_back(event);
  }
  return view;
}

TEST(TopView, ShowsEverythingInAnOrdinaryWindow) {
  const std::string text = render_top(busy_view(), {80, 24}, Colours::kOff);

  for (const char* part : {"four_bar", "real_time", "paused", "step 4711", "4.711 s", "999.9 Hz",
                           "wake-up 3.1/9.4/23.1", "slack 950.0/-0.4", "overruns 3", "angle", "0.5 rad", "saturated",
                           "bias", "lease: mpc (500 ms)", "fault: crank force", "event number 50"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(TopView, AnswersOfAnotherFormulationAreToldWhereThereAreAny) {
  TopView view = busy_view();
  const std::string without = render_top(view, {80, 24}, Colours::kOff);
  view.status.set_fallbacks(17);

  EXPECT_THAT(without, Not(HasSubstr("fallbacks")));
  EXPECT_THAT(render_top(view, {80, 24}, Colours::kOff), HasSubstr("fallbacks 17"));
}

TEST(TopView, FitsEveryWindow) {
  TopView view = busy_view();
  for (int i = 0; i < 40; ++i) *view.description.add_sensors() = view.description.sensors(1);
  view.message = "paused at step 4711, and here is a longer text than narrow windows take";

  for (int columns = 0; columns <= 130; columns += 7) {
    for (int rows = 0; rows <= 70; rows += 3) {
      const auto lines = top_view_lines_of(render_top(view, {columns, rows}, Colours::kOff));

      EXPECT_LE(lines.size(), static_cast<std::size_t>(rows));
      for (const std::string& line : lines) EXPECT_LE(character_count(line), static_cast<std::size_t>(columns));
    }
  }
}

TEST(TopView, ALongListOfSignalsIsCutAndSaysSo) {
  TopView view = busy_view();
  for (int i = 0; i < 40; ++i) *view.description.add_sensors() = view.description.sensors(1);

  const std::string text = render_top(view, {80, 24}, Colours::kOff);

  EXPECT_THAT(text, HasSubstr("more signals"));
  EXPECT_THAT(text, HasSubstr("lease: mpc"));
  EXPECT_THAT(text, HasSubstr("event number 50"));
}

TEST(TopView, TheNewestEventsAreShownInOrder) {
  const std::string text = render_top(busy_view(), {80, 24}, Colours::kOff);

  EXPECT_LT(text.find("event number 49"), text.find("event number 50"));
  EXPECT_THAT(text, Not(HasSubstr("event number 1\n")));
}

TEST(TopView, AnEmergencyStopIsTold) {
  TopView view = busy_view();
  for (const auto& actuator : view.description.actuators()) view.status.add_actuators_stopped(actuator.name());

  const std::string all = render_top(view, {100, 40}, Colours::kOff);
  view.description.add_actuators()->set_name("brake");
  const std::string some = render_top(view, {100, 40}, Colours::kOff);

  EXPECT_THAT(all, HasSubstr("emergency stop: all actuators are safe until they are re-armed"));
  EXPECT_THAT(some, HasSubstr("emergency stop: until they are re-armed it holds motor"));
}

TEST(TopView, SilenceIsTold) {
  TopView view = busy_view();
  view.silent_s = 7.0;

  EXPECT_THAT(render_top(view, {80, 24}, Colours::kOff), HasSubstr("silent for 7 s"));
}

TEST(TopView, WhatIsWrongWithTheRecordIsSeenBeforeItsLongName) {
  TopView view = busy_view();
  view.status.set_recording("/srv/runs/" + std::string(80, 'x') + ".mcap");
  view.status.set_record_trouble("No space left on device");
  view.status.set_record_dropped(12);

  EXPECT_THAT(render_top(view, {80, 24}, Colours::kOff), HasSubstr("record: 12 lost, No space left on device"));
}

TEST(TopView, WithoutAFrameThereAreNoValues) {
  TopView view = busy_view();
  view.frame.reset();

  EXPECT_THAT(render_top(view, {80, 24}, Colours::kOff), HasSubstr("- rad"));
}

TEST(TopView, ColoursChangeNoText) {
  std::string coloured = render_top(busy_view(), {80, 24}, Colours::kOn);
  EXPECT_THAT(coloured, HasSubstr("\033["));
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\033') {
      i = coloured.find('m', i);
    } else {
      plain += coloured[i];
    }
  }

  const auto lines = top_view_lines_of(plain);
  const auto expected = top_view_lines_of(render_top(busy_view(), {80, 24}, Colours::kOff));
  ASSERT_EQ(lines.size(), expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_THAT(lines[i], testing::StartsWith(expected[i]));
}

TEST(TopView, TextsOfOthersCannotCommandTheTerminal) {
  TopView view = busy_view();
  view.status.mutable_leases(0)->set_holder("\033[2Jgone\r\n");
  view.events.back().set_text("\a\033]0;title\a");

  const std::string text = render_top(view, {80, 24}, Colours::kOff);

  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\a")));
}

TEST(BarText, ShowsWhereAValueLies) {
  EXPECT_EQ(bar_text(-1.0, -1.0, 1.0, 12), "[#.........]");
  EXPECT_EQ(bar_text(0.0, -1.0, 1.0, 12), "[.....#....]");
  EXPECT_EQ(bar_text(1.0, -1.0, 1.0, 12), "[.........#]");
}

TEST(BarText, ValuesBeyondTheLimitsStayAtTheEnd) {
  EXPECT_EQ(bar_text(-9.0, -1.0, 1.0, 5), "[#..]");
  EXPECT_EQ(bar_text(1e300, -1.0, 1.0, 5), "[..#]");
}

TEST(BarText, IsBlankWithoutLimitsOrValue) {
  EXPECT_EQ(bar_text(0.0, -kInfinity, kInfinity, 5), "     ");
  EXPECT_EQ(bar_text(std::nan(""), -1.0, 1.0, 5), "     ");
  EXPECT_EQ(bar_text(0.0, 1.0, 1.0, 5), "     ");
  EXPECT_EQ(bar_text(0.0, -1.0, 1.0, 0), "");
}

}  // namespace
}  // namespace kinloop::cli

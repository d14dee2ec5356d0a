// Owns the picture that top draws: a pure function of what is known about the plant, and of the window.
#pragma once

#include <kinloop/v1/describe.pb.h>
#include <kinloop/v1/event.pb.h>
#include <kinloop/v1/frames.pb.h>

#include <deque>
#include <optional>
#include <string>

namespace kinloop::cli {

struct TopView {
  v1::Description description;
  v1::Status status;
  v1::Timing timing;
  std::optional<v1::SensorFrame> frame;
  std::deque<v1::Event> events;       // the newest last
  std::optional<double> steps_per_s;  // measured on this side
  double silent_s = 0.0;              // since anything was heard
  std::string message;                // what a key did
};

struct WindowSize {
  int columns = 80;
  int rows = 24;
};

enum class Colours { kOff, kOn };

/// At most size.rows lines of at most size.columns characters, each with its newline.
std::string render_top(const TopView& view, WindowSize size, Colours colours);

/// "[....#.....]" of that width: where `value` lies between its limits; blank where there are none or no value.
std::string bar_text(double value, double lower, double upper, int width);

}  // namespace kinloop::cli

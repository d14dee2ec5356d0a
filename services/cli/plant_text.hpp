// Owns the words and numbers in which ctl and top show a plant.
#pragma once

#include <kinloop/v1/describe.pb.h>
#include <kinloop/v1/event.pb.h>
#include <kinloop/v1/frames.pb.h>

#include <string>

namespace kinloop::cli {

/// "real_time", "running", "wrong_sign": as files and commands name them.
std::string word_of(v1::Mode mode);
std::string word_of(v1::PlantState state);

/// "overrun, stale", or empty.
std::string frame_flag_words(std::uint32_t flags);
/// "lost, saturated", or empty.
std::string sensor_flag_words(unsigned char flags);
/// Those of one sensor of a frame.
unsigned char sensor_flags(const v1::SensorFrame& frame, int sensor);

/// What an emergency stop holds, or empty.
std::string stop_text(const v1::Status& status, const v1::Description& plant);

/// Without control characters, which a terminal would obey: for texts that somebody else wrote.
std::string printable(std::string text);

/// "-48 .. 48", or "-" where there are none.
std::string limits_text(double lower, double upper);
/// "12.3", of nanoseconds.
std::string microseconds(double duration_ns);
/// "4 ms", "2.5 s": for people.
std::string seconds_text(double time_s);

}  // namespace kinloop::cli

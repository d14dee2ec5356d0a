// Owns the log of a run's events: a file for programs, a line of the log for what people should know at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rt/messages/event.hpp"
#include "services/log/log.hpp"
#include "services/run/event_file.hpp"

namespace kinloop::run {

class EventLog {
 public:
  /// `constraints`: names of the model's loop joints, then of its couplings. People are told the plant's own time, in
  /// steps of `dt_s`, as the page tells it. `core`: the plant's, which the thread that writes the file stays off;
  /// negative: none.
  EventLog(const std::filesystem::path& file, std::vector<std::string> constraints, double dt_s, log::Logger log,
           int core = -1);

  /// `start_ns` is when the run began, on the clock of the events.
  void add(const rt::Event& event, std::int64_t start_ns);

 private:
  void say(const rt::Event& event);

  EventFile file_;
  std::vector<std::string> constraints_;
  double dt_s_;
  log::Logger log_;
  std::int64_t overruns_said_ = 0;
};

}  // namespace kinloop::run

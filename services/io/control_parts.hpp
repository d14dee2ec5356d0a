// Owns ControlParts: what the verbs of the socket "control" work with.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "services/io/call.hpp"
#include "services/io/capture.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/io/job_thread.hpp"
#include "services/io/live_parameters.hpp"
#include "services/io/plant_channel.hpp"
#include "services/io/recorder.hpp"
#include "services/io/task_queue.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::io {

/// All of it outlives the handler.
struct ControlParts {
  const LoadedRig& rig;
  std::filesystem::path rig_file;
  v1::Description& description;  // kept up to date by its owner
  rt::PlantMemory& memory;
  CommandArbiter& commands;
  PlantChannel& plant;
  Capture& capture;
  JobThread& jobs;
  JobThread& trials;  // of snapshots: they do not wait for jobs that take their time
  Recorder& recorder;
  TaskQueue& tasks;
  LiveParameters& live_parameters;
  std::function<void(const Envelope&, const Answer&)> send;
  std::function<void(std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text)> tell;
  std::function<v1::Status()> status;
  std::function<v1::Timing()> timing;
};

}  // namespace kinloop::io

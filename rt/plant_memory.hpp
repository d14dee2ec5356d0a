// Owns PlantMemory: what lies in the memory file between the processes of a plant.
//
// Each part has one writer and one reader; who they are stands beside it. Whatever one side does, or is killed in the
// middle of, the other side finds values that it can check.
#pragma once

#include "core/plant/step_input.hpp"
#include "rt/command.hpp"
#include "rt/event.hpp"
#include "rt/frame.hpp"
#include "rt/frame_ring.hpp"
#include "rt/latest_value.hpp"
#include "rt/loop_status.hpp"
#include "rt/request.hpp"
#include "rt/timing_monitor.hpp"
#include "rt/wake_word.hpp"
#include "rt/watchdog.hpp"

namespace kinloop::rt {

/// What one step was given and came to: enough to do it again and to see that it is the same.
struct JournalEntry {
  std::uint64_t step = 0;        // at its end
  std::uint64_t state_hash = 0;  // at its end
  StepInput input;
};

struct PlantMemory {
  static constexpr std::uint64_t kLayout = 0x4b696e6c6f6f7001;  // of this very layout; the last byte counts versions

  std::uint64_t layout = kLayout;

  // client → plant
  LatestValue<Command> command;  // real_time, free: newest wins
  Queue<Request, 64> requests;   // lockstep and control: nothing is lost
  WakeWord to_plant;             // after a request
  // supervisor → plant
  std::int64_t supervisor = 0;  // its process
  std::atomic<std::uint32_t> stop{0};
  // plant → client
  FrameRing<SensorFrame, 1024> frames;
  WakeWord to_client;
  // supervisor → client
  FrameRing<SensorFrame, 4> last_frames;  // once the plant is given up
  // plant → supervisor
  Heartbeat heartbeat;
  LatestValue<LoopStatus> status;
  LatestValue<SensorFrame> newest;  // the values to hold when the plant is given up
  FrameRing<Event, 1024> events;
  FrameRing<JournalEntry, 4096> journal;
  TimingMonitor timing;
  std::array<char, 8192> refusals{};  // text, one "what<tab>fix" a line; complete when heartbeat.running is set
};

}  // namespace kinloop::rt

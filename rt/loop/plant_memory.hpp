// Owns PlantMemory: what lies in the memory file between the processes of a plant.
//
// Each part has one writer and one reader; who they are stands beside it. Whatever one side does, or is killed in the
// middle of, the other side finds values that it can check.
#pragma once

#include <span>

#include "core/plant/step_input.hpp"
#include "rt/ipc/frame_ring.hpp"
#include "rt/ipc/futex_event.hpp"
#include "rt/ipc/latest_value.hpp"
#include "rt/loop/loop_status.hpp"
#include "rt/loop/snapshot_buffer.hpp"
#include "rt/messages/command.hpp"
#include "rt/messages/event.hpp"
#include "rt/messages/frame.hpp"
#include "rt/messages/pose_sample.hpp"
#include "rt/messages/request.hpp"
#include "rt/policies/emergency_stop.hpp"
#include "rt/policies/liveness.hpp"
#include "rt/policies/watchdog.hpp"
#include "rt/timing/timing_monitor.hpp"

namespace kinloop::rt {

/// What one step was given and came to: enough to do it again and to see that it is the same.
struct JournalEntry {
  StepInput input;
  SensorFrame frame;
  std::uint64_t restored = 0;         // the number of the state that was put in place before the step; 0: none
  std::uint64_t parameters = 0;       // the number of the set of parameters that came into force before it; 0: none
  std::uint64_t count = 0;            // of steps since the run began, however often it was reset
  std::uint32_t parameters_last = 0;  // both came before it, and the parameters last
  std::uint32_t reserved = 0;
};

/// Parameters that the plant is to be rebuilt with, for its builder: "name<tab>value", one a line.
struct BuildRequest {
  std::uint64_t id = 0;
  std::uint64_t number = 0;  // of the set, for the journal
  std::uint64_t state = 0;   // of the state in the buffer that it is to begin with, for the journal; 0: it goes on
  std::array<char, 4096> text{};
};
/// Why there is no such plant; success comes as a Reply.
struct BuildRefusal {
  std::uint64_t id = 0;
  std::array<char, 1024> text{};
};

struct PlantMemory {
  static constexpr std::uint64_t kLayout = 0x4b696e6c6f6f7009;  // of this very layout; the last byte counts versions

  std::uint64_t layout = kLayout;

  std::uint32_t state_size = 0;  // doubles in each of the buffers behind this; 0: there are none

  // io → plant
  LatestValue<Command> command;  // real_time, free: newest wins
  Queue<Command, 64> releases;   // lockstep: each releases one step
  Queue<Request, 64> requests;   // control: nothing is lost
  FutexEvent to_plant;           // after a release or a request
  Queue<BuildRequest, 4> builds;
  FutexEvent to_builder;
  SnapshotBuffer incoming;
  // supervisor → plant
  std::int64_t supervisor = 0;         // its process
  std::atomic<std::uint32_t> stop{0};  // the run ends
  // one word each of supervisor, io, a local button → plant
  StopWords stops;
  // supervisor, io → plant, supervisor
  SignsOfLife life;
  // plant → all
  StopReceipts stop_receipts;
  // plant → io
  FrameRing<SensorFrame, 1024> frames;
  FutexEvent to_client;  // after frames and replies
  Queue<Reply, 128> replies;
  Queue<BuildRefusal, 4> build_refusals;
  LatestValue<BuildRequest> parameters;  // that were set and are in force; nothing: the rig's own
  SnapshotBuffer outgoing;
  FrameRing<Event, 1024> io_events;
  LatestValue<LoopStatus> io_status;
  LatestValue<PoseSample> pose;
  FrameRing<JournalEntry, 2048> journal;
  // supervisor → io
  FrameRing<SensorFrame, 4> last_frames;   // once the plant is given up
  std::atomic<std::uint32_t> epoch{0};     // of io: how often it was started
  std::atomic<std::uint32_t> io_ready{0};  // io → supervisor: the epoch of the one that is up
  std::atomic<std::uint32_t> given_up{0};  // the plant died or was killed; last_frames says the rest
  // plant → supervisor
  Heartbeat heartbeat;
  LatestValue<LoopStatus> status;
  LatestValue<SensorFrame> newest;  // the values to hold when the plant is given up
  FrameRing<Event, 1024> events;
  TimingMonitor timing;
  std::array<char, 8192> refusals{};  // text, one "what<tab>fix" a line; complete when heartbeat.running is set
};

/// Bytes of a memory whose buffers hold states of so many doubles.
constexpr std::size_t memory_size(std::size_t state_size) noexcept {
  return sizeof(PlantMemory) + 2 * state_size * sizeof(double);
}
/// What the buffers hold. The memory must be one of memory_size(state_size). The size is the caller's own, as it was
/// checked when the memory was opened: what lies in the memory may have been written over since.
inline std::span<double> outgoing_block(PlantMemory& memory, std::size_t state_size) noexcept {
  return {reinterpret_cast<double*>(&memory + 1), state_size};
}
inline std::span<double> incoming_block(PlantMemory& memory, std::size_t state_size) noexcept {
  return {reinterpret_cast<double*>(&memory + 1) + state_size, state_size};
}

}  // namespace kinloop::rt

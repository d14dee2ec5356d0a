// Owns what lies in the three memory files of a plant: each has one writer and is mapped for reading by the others.
//
// A ring, queue, mailbox or event between two processes has its two sides in two files: `Written` with who fills it,
// `Read` with who empties it. Whatever one side does, or is killed in the middle of, the other finds values that it can
// check; nothing here is a pointer.
#pragma once

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

// One name for each way between two processes.
using CommandBox = LatestValue<Command>;  // real_time, free: newest wins
using ReleaseQueue = Queue<Command, 64>;  // lockstep: each releases one step
using RequestQueue = Queue<Request, 64>;  // control: nothing is lost
using BuildQueue = Queue<BuildRequest, 4>;
using RefusalQueue = Queue<BuildRefusal, 4>;
using ReplyQueue = Queue<Reply, 128>;
using ParameterBox = LatestValue<BuildRequest>;  // that were set and are in force; nothing: the rig's own
using StatusBox = LatestValue<LoopStatus>;
using PoseBox = LatestValue<PoseSample>;
using NewestFrame = LatestValue<SensorFrame>;
using SensorRing = FrameRing<SensorFrame, 1024>;
using LastFrames = FrameRing<SensorFrame, 4>;
using EventRing = FrameRing<Event, 1024>;
using JournalRing = FrameRing<JournalEntry, 2048>;

struct SupervisorPart {
  static constexpr std::uint64_t kLayout = 0x4b696e6c6f6f700d;  // of this very layout; the last byte counts versions

  std::uint64_t layout = kLayout;
  std::uint32_t state_size =
      0;  // doubles in each of the buffers behind the other parts; read once, when they are opened
  std::int64_t process = 0;
  std::atomic<std::uint32_t> stop{0};             // the run ends
  std::atomic<std::uint32_t> epoch{0};            // of io: how often it was started
  std::atomic<std::uint32_t> given_up{0};         // the plant died or was killed; last_frames says the rest
  std::atomic<std::uint32_t> plant_may_begin{0};  // io is up, and misses nothing of it
  std::atomic<std::uint32_t> io_may_end{0};       // who tells io to end without this is dying
  Beat beat;
  StopWord stop_word, local_stop_word;  // its own, and a local button's
  LastFrames::Written last_frames;      // → io, once the plant is given up
  StatusBox::Read status;
  NewestFrame::Read newest;
  EventRing::Read events;
};

/// The buffer for states that leave follows it.
struct PlantPart {
  std::atomic<std::uint32_t> is_mapped{0};  // nobody else can map it for writing any more
  Heartbeat heartbeat;
  Beat builder;
  std::atomic<std::uint32_t> ends{0};  // because of a signal
  StopReceipts stop_receipts;
  // → io
  SensorRing::Written frames;
  FutexEvent::Written to_client;  // after frames and replies
  ReplyQueue::Written replies;
  RefusalQueue::Written build_refusals;
  ParameterBox::Written parameters;
  SnapshotBuffer outgoing;
  EventRing::Written io_events;
  StatusBox::Written io_status;
  PoseBox::Written pose;
  JournalRing::Written journal;
  // → supervisor
  StatusBox::Written status;
  NewestFrame::Written newest;  // the values to hold when the plant is given up
  EventRing::Written events;
  TimingMonitor timing;
  std::array<char, 8192> refusals{};  // text, one "what<tab>fix" a line; complete when heartbeat.running is set
  // what it reads of io
  CommandBox::Read command;
  ReleaseQueue::Read releases;
  RequestQueue::Read requests;
  BuildQueue::Read builds;
  FutexEvent::Read to_plant, to_builder;
};

/// The buffer for states that come back follows it.
struct IoPart {
  std::atomic<std::uint32_t> ready{0};  // the epoch of the io that is up
  IoBeats beats;
  StopWord stop_word;
  // → plant
  CommandBox::Written command;
  ReleaseQueue::Written releases;
  RequestQueue::Written requests;
  FutexEvent::Written to_plant;  // after a release or a request
  BuildQueue::Written builds;
  FutexEvent::Written to_builder;
  SnapshotBuffer incoming;
  // what it reads of the plant
  SensorRing::Read frames;
  FutexEvent::Read to_client;
  ReplyQueue::Read replies;
  RefusalQueue::Read build_refusals;
  ParameterBox::Read parameters;
  EventRing::Read io_events;
  StatusBox::Read io_status;
  PoseBox::Read pose;
  JournalRing::Read journal;
  // what it reads of the supervisor
  LastFrames::Read last_frames;
};

}  // namespace kinloop::rt

// Owns PlantMemory: the memory between the processes of a plant as one of them sees it.
//
// Each way has one writer and one reader; who they are stands beside it. It is a view of three files: who writes what
// another process owns ends at once, since its pages are mapped for reading.
#pragma once

#include <span>

#include "rt/loop/memory_parts.hpp"

namespace kinloop::rt {

struct PlantMemory {
  /// Blocks: where the doubles of states lie that leave the plant and that come back, equally many.
  PlantMemory(SupervisorPart& supervisor, PlantPart& plant, IoPart& io, std::span<double> outgoing,
              std::span<double> incoming) noexcept;
  PlantMemory(const PlantMemory&) = delete;  // its parts are referred to
  PlantMemory& operator=(const PlantMemory&) = delete;

  std::size_t state_size() const noexcept { return outgoing_block.size(); }

  // io → plant
  CommandBox command;
  ReleaseQueue releases;
  RequestQueue requests;
  FutexEvent to_plant;
  BuildQueue builds;
  FutexEvent to_builder;
  SnapshotBuffer& incoming;
  std::span<double> incoming_block;
  // supervisor → all
  std::int64_t& supervisor;  // its process
  std::atomic<std::uint32_t>& stop;
  std::atomic<std::uint32_t>& epoch;
  std::atomic<std::uint32_t>& given_up;
  std::atomic<std::uint32_t>& plant_may_begin;
  std::atomic<std::uint32_t>& io_may_end;
  Beat& supervisor_beat;
  // one word each of supervisor, io, a local button → plant
  StopWords stops;
  // plant → all
  std::atomic<std::uint32_t>& plant_is_mapped;
  StopReceipts& stop_receipts;
  Heartbeat& heartbeat;
  Beat& builder_beat;
  TimingMonitor& timing;
  std::atomic<std::uint32_t>& ends;  // set by its own signals
  // plant → io
  SensorRing frames;
  FutexEvent to_client;
  ReplyQueue replies;
  RefusalQueue build_refusals;
  ParameterBox parameters;
  SnapshotBuffer& outgoing;
  std::span<double> outgoing_block;
  EventRing io_events;
  StatusBox io_status;
  PoseBox pose;
  JournalRing journal;
  // supervisor → io
  LastFrames last_frames;
  // io → supervisor, plant
  std::atomic<std::uint32_t>& io_ready;
  IoBeats& io_beats;
  // plant → supervisor
  StatusBox status;
  NewestFrame newest;
  EventRing events;
  std::array<char, 8192>& refusals;
};

}  // namespace kinloop::rt

// Puts the two sides of every way together.
#include "rt/loop/plant_memory.hpp"

namespace kinloop::rt {

PlantMemory::PlantMemory(SupervisorPart& of_supervisor, PlantPart& plant, IoPart& io, std::span<double> outgoing_states,
                         std::span<double> incoming_states) noexcept
    : command(io.command, plant.command),
      releases(io.releases, plant.releases),
      requests(io.requests, plant.requests),
      to_plant(io.to_plant, plant.to_plant),
      builds(io.builds, plant.builds),
      to_builder(io.to_builder, plant.to_builder),
      incoming(io.incoming),
      incoming_block(incoming_states),
      supervisor(of_supervisor.process),
      stop(of_supervisor.stop),
      epoch(of_supervisor.epoch),
      given_up(of_supervisor.given_up),
      plant_may_begin(of_supervisor.plant_may_begin),
      io_may_end(of_supervisor.io_may_end),
      supervisor_beat(of_supervisor.beat),
      stops(of_supervisor.stop_word, io.stop_word, of_supervisor.local_stop_word),
      plant_is_mapped(plant.is_mapped),
      stop_receipts(plant.stop_receipts),
      heartbeat(plant.heartbeat),
      builder_beat(plant.builder),
      timing(plant.timing),
      ends(plant.ends),
      frames(plant.frames, io.frames),
      to_client(plant.to_client, io.to_client),
      replies(plant.replies, io.replies),
      build_refusals(plant.build_refusals, io.build_refusals),
      parameters(plant.parameters, io.parameters),
      outgoing(plant.outgoing),
      outgoing_block(outgoing_states),
      io_events(plant.io_events, io.io_events),
      io_status(plant.io_status, io.io_status),
      pose(plant.pose, io.pose),
      journal(plant.journal, io.journal),
      last_frames(of_supervisor.last_frames, io.last_frames),
      io_ready(io.ready),
      io_beats(io.beats),
      status(plant.status, of_supervisor.status),
      newest(plant.newest, of_supervisor.newest),
      events(plant.events, of_supervisor.events),
      refusals(plant.refusals) {
  require(outgoing_block.size() == incoming_block.size(), "states that leave and that come back are of one size");
}

}  // namespace kinloop::rt

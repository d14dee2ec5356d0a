// Owns Recorder: the record of a run while it is made, in a thread of its own.
//
// Steps come from the plant's journal, all else from the main thread. In the file, a state or a set of parameters
// always stands before the step that begins with it.
#pragma once

#include <kinloop/v1/event.pb.h>
#include <kinloop/v1/frames.pb.h>
#include <kinloop/v1/record.pb.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "services/io/live_parameters.hpp"
#include "services/io/plant_channel.hpp"
#include "services/io/task_queue.hpp"
#include "services/record/record_writer.hpp"

namespace kinloop::io {

struct RecordReport {
  std::string file;  // empty: nothing is being recorded
  std::int64_t steps = 0;
  std::int64_t dropped = 0;
  std::string trouble;
};

/// What every record of a run begins with.
struct RecordHead {
  std::filesystem::path folder;  // of the run
  record::RecordFacts facts;
  std::vector<record::RecordedFile> files;
};

class Recorder {
 public:
  using Answer = std::function<void(const Result<RecordReport>&)>;

  Recorder(RecordHead head, const LiveParameters& live_parameters, rt::PlantMemory& memory, PlantChannel& plant,
           TaskQueue& tasks);
  ~Recorder() { end(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // All of these by the main thread.

  /// Of a plant that keeps its journal from its first step on.
  std::optional<Error> start_with_the_run(const std::filesystem::path& file);
  /// From the plant's present state on. The name is one without folders; empty: "record-<n>.mcap".
  void start(const std::string& name, std::int64_t time_ns, Answer answer);
  void stop(std::int64_t time_ns, Answer answer);
  /// With the run: finishes the record that is being made, so that report() knows the last of its trouble.
  void end();

  /// Numbers for what the plant is going to be told: a reset, a state, parameters.
  std::uint64_t add_reset();
  std::uint64_t add_state(const v1::Snapshot& snapshot);
  void add_parameters(std::uint64_t number, const ParameterList& changed);
  void add_event(const v1::Event& event);
  /// Without allocation of ours once it has grown.
  void add_command(const v1::ActuatorFrame& frame, std::int64_t time_ns);

  RecordReport report();

 private:
  using Note = std::function<void()>;  // done by the thread, in order

  std::optional<Error> begin(const std::filesystem::path& file, const v1::Snapshot* from, std::uint64_t after);
  void give_up();
  void begin_from(const std::filesystem::path& file, const rt::Reply* reply, const Answer& answer);
  void finish();
  void post(Note note);
  void post_and_keep(Note note);
  void add_snapshot_message(std::uint64_t number, const v1::Snapshot* snapshot);
  void run();
  void take_notes();
  void take_commands();
  void take_steps();
  void write(const rt::JournalEntry& entry);
  void publish_report();

  RecordHead head_;
  const LiveParameters& live_parameters_;
  rt::PlantMemory& memory_;
  PlantChannel& plant_;
  TaskQueue& tasks_;
  std::uint64_t last_number_ = 0;
  int records_ = 0;
  bool is_recording_ = false;  // as the main thread sees it

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<Note> notes_;
  std::vector<v1::ActuatorFrame> commands_;  // waiting; those beyond the count are kept for their memory
  std::vector<std::int64_t> command_times_;
  std::size_t command_count_ = 0;
  std::uint64_t commands_lost_ = 0;
  RecordReport report_;
  bool stops_ = false;

  // The thread's own.
  std::optional<record::RecordWriter> writer_;
  std::deque<Note> recent_;  // snapshots and parameters, told lately
  std::vector<v1::ActuatorFrame> taken_commands_;
  std::vector<std::int64_t> taken_times_;
  v1::StepInput input_;
  v1::SensorFrame frame_;
  std::uint64_t after_ = 0;  // the record begins after this step, as the journal counts
  std::int64_t steps_ = 0;
  std::uint64_t dropped_before_ = 0;
  std::int64_t last_flush_ns_ = 0;
  std::thread thread_;
};

}  // namespace kinloop::io

// Notes from the main thread, steps from the journal, into one file.
#include "services/io/recorder.hpp"

#include <pthread.h>

#include <latch>

#include "rt/timing/clock.hpp"
#include "services/base/control_characters.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/io/times.hpp"
#include "services/wire/change_codec.hpp"
#include "services/wire/frame_codec.hpp"

namespace kinloop::io {
namespace {

constexpr std::chrono::milliseconds kRecorderWait{5};
constexpr std::int64_t kBetweenFlushes_ns = 500'000'000;
constexpr std::size_t kMaxCommands = 4096;  // that wait
constexpr std::size_t kMaxRecent = 4;
constexpr std::size_t kMaxJournalSteps = 2048;  // at a time: all that the journal holds

bool is_file_name(const std::string& name) {
  return name.find('/') == std::string::npos && name.front() != '.' && name.size() < 200 &&
         !has_control_characters(name);
}

}  // namespace

Recorder::Recorder(RecordHead head, const LiveParameters& live_parameters, rt::PlantMemory& memory, PlantChannel& plant,
                   TaskQueue& tasks)
    : head_(std::move(head)),
      live_parameters_(live_parameters),
      memory_(memory),
      plant_(plant),
      tasks_(tasks),
      thread_([this] { run(); }) {}

void Recorder::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    stops_ = true;
  }
  has_work_.notify_all();
  thread_.join();
  is_recording_ = false;
}

std::optional<Error> Recorder::start_with_the_run(const std::filesystem::path& file) {
  std::optional<Error> error;
  std::latch done(1);
  post([&] {
    error = begin(file, nullptr, 0);
    done.count_down();
  });
  done.wait();
  is_recording_ = !error;
  return error;
}

void Recorder::start(const std::string& name, std::int64_t time_ns, Answer answer) {
  if (is_recording_) return answer(Error{"", "a record is being made: stop it first"});
  std::string file = name.empty() ? "record-" + std::to_string(++records_) + ".mcap" : name;
  if (!is_file_name(file))
    return answer(
        Error{"", "the name of a record has no folders and no control characters, and is shorter than 200 bytes"});
  if (!file.ends_with(".mcap")) file += ".mcap";
  const std::filesystem::path path = head_.folder / file;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return answer(Error{"", "there is a file " + file + " already"});
  is_recording_ = true;
  rt::Request journal;
  journal.kind = rt::RequestKind::kJournal;
  journal.number = 1;
  plant_.ask(journal, time_ns, [](const rt::Reply*) {});
  rt::Request snapshot;
  snapshot.kind = rt::RequestKind::kSnapshot;
  plant_.ask(snapshot, time_ns,
             [this, path, answer = std::move(answer)](const rt::Reply* reply) { begin_from(path, reply, answer); });
}

void Recorder::begin_from(const std::filesystem::path& file, const rt::Reply* reply, const Answer& answer) {
  if (reply == nullptr || reply->status != rt::ReplyStatus::kDone) {
    give_up();
    return answer(Error{"", "the plant did not give its state"});
  }
  const v1::Description& plant = head_.facts.description;
  auto state = std::make_shared<v1::Snapshot>(
      snapshot_of(plant, memory_.outgoing, memory_.outgoing_block, reply->step, live_parameters_.changed()));
  post([this, file, state, after = memory_.outgoing.count, answer] {
    const std::optional<Error> error = begin(file, state.get(), after);
    tasks_.post([this, file, error, answer] {
      if (error) {
        give_up();
        return answer(Error{"", error->where + ": " + error->what});
      }
      answer(RecordReport{file.string(), 0, 0, ""});
    });
  });
}

/// A journal that nobody reads would hold up a plant that keeps every step.
void Recorder::give_up() {
  is_recording_ = false;
  rt::Request journal;
  journal.kind = rt::RequestKind::kJournal;
  plant_.ask(journal, now_ns(), [](const rt::Reply*) {});
}

/// By the thread. Steps up to `after`, counted by the journal, are not the record's.
std::optional<Error> Recorder::begin(const std::filesystem::path& file, const v1::Snapshot* from, std::uint64_t after) {
  auto writer = record::RecordWriter::begin(file, head_.facts, head_.files);
  if (!writer) return writer.error();
  writer_.emplace(std::move(writer).value());
  after_ = after;
  steps_ = 0;
  dropped_before_ = memory_.journal.dropped();
  last_flush_ns_ = now_ns();
  if (from != nullptr) add_snapshot_message(0, from);
  for (const Note& note : recent_) note();  // the first steps may refer to what was told just before
  publish_report();
  return std::nullopt;
}

void Recorder::stop(std::int64_t time_ns, Answer answer) {
  if (!is_recording_) return answer(Error{"", "nothing is being recorded"});
  rt::Request journal;
  journal.kind = rt::RequestKind::kJournal;
  plant_.ask(journal, time_ns, [this, answer = std::move(answer)](const rt::Reply*) {
    post([this, answer] {
      take_commands();
      take_steps();
      finish();
      RecordReport last;
      {
        const std::lock_guard guard(mutex_);
        last = std::exchange(report_, {});
      }
      tasks_.post([this, last, answer] {
        is_recording_ = false;
        answer(last);
      });
    });
  });
}

/// By the thread.
void Recorder::finish() {
  if (!writer_) return;
  const Result<bool> finished = writer_->finish();
  publish_report();
  if (!finished) {
    const std::lock_guard guard(mutex_);
    report_.trouble = finished.error().what;
  }
  writer_.reset();
}

void Recorder::post(Note note) {
  {
    const std::lock_guard guard(mutex_);
    notes_.push_back(std::move(note));
  }
  has_work_.notify_all();
}

std::uint64_t Recorder::add_reset() {
  const std::uint64_t number = ++last_number_;
  post_and_keep([this, number] { add_snapshot_message(number, nullptr); });
  return number;
}

std::uint64_t Recorder::add_state(const v1::Snapshot& snapshot) {
  const std::uint64_t number = ++last_number_;
  post_and_keep(
      [this, number, state = std::make_shared<v1::Snapshot>(snapshot)] { add_snapshot_message(number, state.get()); });
  return number;
}

/// By the thread.
void Recorder::add_snapshot_message(std::uint64_t number, const v1::Snapshot* snapshot) {
  if (!writer_) return;
  v1::RecordedSnapshot message;
  message.set_number(number);
  if (snapshot != nullptr) *message.mutable_snapshot() = *snapshot;
  writer_->write(message, {now_ns(), snapshot != nullptr ? snapshot->step() : 0});
}

void Recorder::add_parameters(std::uint64_t number, const ParameterList& changed) {
  v1::RecordedParameters message;
  message.set_number(number);
  to_wire(changed, *message.mutable_values());
  post_and_keep([this, message] {
    if (writer_) writer_->write(message, {now_ns(), 0});
  });
}

/// What steps may refer to, for a record that begins soon.
void Recorder::post_and_keep(Note note) {
  post([this, note = std::move(note)] {
    recent_.push_back(note);
    if (recent_.size() > kMaxRecent) recent_.pop_front();
    note();
  });
}

void Recorder::add_event(const v1::Event& event) {
  if (!is_recording_) return;
  post([this, event] {
    if (writer_) writer_->write(event, {event.time_ns(), event.step()});
  });
}

void Recorder::add_command(const v1::ActuatorFrame& frame, std::int64_t time_ns) {
  if (!is_recording_) return;
  const std::lock_guard guard(mutex_);
  if (command_count_ == kMaxCommands) {
    ++commands_lost_;
    return;
  }
  if (command_count_ == commands_.size()) {
    commands_.emplace_back();
    command_times_.emplace_back();
  }
  commands_[command_count_] = frame;
  command_times_[command_count_++] = time_ns;
}

RecordReport Recorder::report() {
  const std::lock_guard guard(mutex_);
  return report_;
}

void Recorder::run() {
  ::pthread_setname_np(::pthread_self(), "recorder");  // for ps and top
  rt::Beat& beat = rt::beat_of(memory_.io_beats, rt::IoThread::kRecorder);
  for (bool stops = false; !stops;) {
    beat.show(now_ns());
    {
      std::unique_lock lock(mutex_);
      has_work_.wait_for(lock, kRecorderWait, [this] { return stops_ || !notes_.empty(); });
      stops = stops_;
    }
    take_notes();
    if (!writer_) continue;
    take_commands();
    take_steps();
    if (now_ns() - last_flush_ns_ > kBetweenFlushes_ns) {
      writer_->flush();
      last_flush_ns_ = now_ns();
      publish_report();
    }
  }
  finish();
  beat.end();
}

/// One after the other: a note may take steps, which take the notes that they refer to.
void Recorder::take_notes() {
  while (true) {
    Note note;
    {
      const std::lock_guard guard(mutex_);
      if (notes_.empty()) return;
      note = std::move(notes_.front());
      notes_.pop_front();
    }
    note();
  }
}

void Recorder::take_commands() {
  std::size_t count = 0;
  std::uint64_t lost = 0;
  {
    const std::lock_guard guard(mutex_);
    taken_commands_.swap(commands_);
    taken_times_.swap(command_times_);
    count = std::exchange(command_count_, 0);
    lost = std::exchange(commands_lost_, 0);
  }
  for (std::size_t i = 0; i < count; ++i) writer_->write(taken_commands_[i], {taken_times_[i], 0});
  if (lost > 0) writer_->add_lost(lost, "commands came faster than they could be written");
}

void Recorder::take_steps() {
  if (!writer_) return;
  rt::JournalEntry entry;
  for (std::size_t i = 0; i < kMaxJournalSteps && memory_.journal.take(entry); ++i) {
    if (entry.restored != 0 || entry.parameters != 0) take_notes();  // what it refers to comes first
    if (entry.count > after_) write(entry);
  }
  const std::uint64_t dropped = memory_.journal.dropped();
  if (dropped == dropped_before_) return;
  writer_->add_lost(dropped - dropped_before_, "steps came faster than they could be written");
  dropped_before_ = dropped;
}

void Recorder::write(const rt::JournalEntry& entry) {
  const record::RecordTime at{entry.frame.start_ns, entry.frame.step};
  const std::size_t count = std::min<std::size_t>(entry.input.count, kMaxActuators);
  const std::size_t changes = std::min<std::size_t>(entry.input.changes, kMaxChanges);
  input_.set_step(entry.frame.step);
  input_.set_state_hash(entry.frame.state_hash);
  input_.set_level(static_cast<std::uint32_t>(entry.input.level));
  input_.set_frozen(entry.input.frozen != 0);
  input_.mutable_command()->Assign(entry.input.command.begin(),
                                   entry.input.command.begin() + static_cast<std::ptrdiff_t>(count));
  input_.clear_changes();
  for (std::size_t i = 0; i < changes; ++i) wire::to_wire(entry.input.change[i], *input_.add_changes());
  input_.set_restored(entry.restored);
  input_.set_parameters(entry.parameters);
  input_.set_parameters_last(entry.parameters_last != 0);
  input_.set_stopped(entry.input.stopped);
  writer_->write(input_, at);
  wire::to_wire(entry.frame, head_.facts.description.schema_hash(), static_cast<std::uint64_t>(++steps_), frame_);
  writer_->write(frame_, at);
}

void Recorder::publish_report() {
  const record::RecordCounters counters = writer_->counters();
  const std::lock_guard guard(mutex_);
  report_ = {writer_->path().string(), steps_, static_cast<std::int64_t>(counters.dropped), counters.trouble};
}

}  // namespace kinloop::io

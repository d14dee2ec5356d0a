// Pairs inputs and frames of a record by run and step.
#include "services/record/step_rows.hpp"

namespace kinloop::record {

StepRows::Waiting& StepRows::row_of(std::uint64_t step, Half& half) {
  if (half.any && step <= half.step) ++half.turn;
  half.any = true;
  half.step = step;
  Waiting& waiting = waiting_[{half.turn, step}];
  waiting.row.step = step;
  return waiting;
}

void StepRows::add(const v1::StepInput& input) {
  Waiting& waiting = row_of(input.step(), inputs_);
  waiting.has_input = true;
  waiting.row.commands.assign(input.command().begin(), input.command().end());
}

void StepRows::add(const v1::SensorFrame& frame) {
  Waiting& waiting = row_of(frame.step(), frames_);
  waiting.has_frame = true;
  waiting.row.time_s = frame.time_s();
  waiting.row.flags = frame.flags();
  waiting.row.sensors.assign(frame.value().begin(), frame.value().end());
}

std::optional<StepRow> StepRows::take() {
  const auto first = waiting_.begin();
  if (first == waiting_.end()) return std::nullopt;
  const bool is_whole = first->second.has_input && first->second.has_frame;
  if (!is_whole && !is_finished_ && waiting_.size() <= kMaxWaiting) return std::nullopt;
  std::optional<StepRow> row = std::move(first->second.row);
  waiting_.erase(first);
  return row;
}

}  // namespace kinloop::record

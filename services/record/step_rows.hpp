// Owns StepRows: what entered each step beside what the sensors showed at its end, one row a step.
#pragma once

#include <kinloop/v1/frames.pb.h>
#include <kinloop/v1/record.pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace kinloop::record {

/// What is not in the record is not there.
struct StepRow {
  std::uint64_t step = 0;
  std::optional<double> time_s;
  std::optional<std::uint32_t> flags;
  std::vector<double> commands;
  std::vector<double> sensors;
};

/// Inputs and frames come from different rings, so a record holds them in turns of any length. Rows leave in the order
/// of steps; where a restored state set the steps back, a new turn of them begins.
class StepRows {
 public:
  /// A row that lacks its other half waits for at most so many others.
  static constexpr std::size_t kMaxWaiting = 1U << 14U;

  void add(const v1::StepInput& input);
  void add(const v1::SensorFrame& frame);
  /// No more will be added: rows wait no longer.
  void finish() noexcept { is_finished_ = true; }
  /// The next row that is ready, or nothing.
  std::optional<StepRow> take();

 private:
  struct Half {
    bool any = false;
    std::uint64_t turn = 0;
    std::uint64_t step = 0;
  };
  struct Waiting {
    StepRow row;
    bool has_input = false;
    bool has_frame = false;
  };
  Waiting& row_of(std::uint64_t step, Half& half);

  Half inputs_;
  Half frames_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Waiting> waiting_;  // by turn and step
  bool is_finished_ = false;
};

}  // namespace kinloop::record

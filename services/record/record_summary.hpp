// Owns RecordSummary: what a record holds, counted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "services/record/record_reader.hpp"

namespace kinloop::record {

struct RecordSummary {
  std::array<std::uint64_t, kRecordChannels.size()> messages{};
  // Of the inputs; of the sensor frames where there are no inputs.
  std::uint64_t steps = 0;
  std::uint64_t first_step = 0;
  std::uint64_t last_step = 0;
  std::uint64_t missing_steps = 0;  // between those that are there
  std::uint64_t restores = 0;       // of states, after the beginning
  std::uint64_t first_ns = 0;       // times of day
  std::uint64_t last_ns = 0;
  std::optional<Error> damage;  // where the reading ended before its time
};

/// Reads the record to its end.
RecordSummary summarize(RecordReader& reader);

}  // namespace kinloop::record

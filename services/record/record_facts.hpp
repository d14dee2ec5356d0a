// Owns RecordFacts: what a record says about the run it is of, as MCAP metadata.
#pragma once

#include <kinloop/v1/describe.pb.h>

#include <cstdint>
#include <string>

#include "core/base/result.hpp"
#include "services/record/mcap_records.hpp"

namespace kinloop::record {

/// Names of the metadata of a record: what is known when it begins, and how it ended.
inline constexpr const char* kFactsName = "kinloop";
inline constexpr const char* kEndName = "kinloop.end";

/// One instant on both clocks: messages come with the plant's clock, files tell the time of day.
struct RecordStart {
  std::int64_t wall_ns = 0;       // since 1970, UTC
  std::int64_t monotonic_ns = 0;  // CLOCK_MONOTONIC

  static RecordStart now() noexcept;
  /// The time of day, however the system's clock was set since.
  std::uint64_t wall_at(std::int64_t at_monotonic_ns) const noexcept;
};

struct RecordFacts {
  /// Kept of it: program, rig, model, schema_hash, plant_hash, dt_s, mode, names and units of actuators and sensors.
  v1::Description description;
  std::string commit;
  std::string host;
  RecordStart start;  // set by the writer
};

/// How the record ended, as its writer saw it.
struct RecordEnd {
  std::uint64_t messages = 0;
  std::uint64_t dropped = 0;
  std::string trouble;  // why some were dropped; empty: none were
};

McapMap metadata_of(const RecordFacts& facts);
/// An error names the value that is missing or wrong.
Result<RecordFacts> facts_of(const McapMap& metadata);
McapMap metadata_of(const RecordEnd& end);
Result<RecordEnd> end_of(const McapMap& metadata);

/// "real_time", "lockstep", "free".
std::string mode_name(v1::Mode mode);

}  // namespace kinloop::record

// Owns the tables around a rollout: commands from a CSV, sensors into one.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <iosfwd>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "services/console/console.hpp"

namespace kinloop::cli {

/// Where to begin, SI units, in the order of Description.coordinates and .speeds; both empty: the present state.
struct GivenState {
  std::vector<double> q, v;

  bool is_given() const noexcept { return !q.empty() || !v.empty(); }
  void put_into(v1::MotionState& state) const {
    state.mutable_q()->Add(q.begin(), q.end());
    state.mutable_v()->Add(v.begin(), v.end());
  }
};

struct RolloutOptions {
  std::string file;  // "-" is standard input
  std::string out;   // empty: standard output
  int steps_per_command = 1;
  GivenState from;
};

/// One column for each actuator, in any order; columns "time_s" and "t" are passed over, "sequence" parts the rows.
Result<v1::RolloutRequest> read_commands(std::istream& in, const std::string& file, const v1::Description& plant);

Result<v1::ControlRequest> rollout_request(const RolloutOptions& options, const v1::Description& plant);
std::optional<Error> report_rollout(const RolloutOptions& options, const v1::RolloutReply& reply,
                                    const v1::Description& plant, const console::Console& console);

}  // namespace kinloop::cli

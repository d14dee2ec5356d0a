// Owns the tables around a rollout: commands from a CSV, sensors into one.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <iosfwd>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "services/cli/console.hpp"

namespace kinloop::cli {

struct RolloutOptions {
  std::string file;  // "-" is standard input
  std::string out;   // empty: standard output
  int steps_per_command = 1;
};

/// One column for each actuator, in any order; columns "time_s" and "t" are passed over, "sequence" parts the rows.
Result<v1::RolloutRequest> read_commands(std::istream& in, const std::string& file, const v1::Description& plant);

Result<v1::ControlRequest> rollout_request(const RolloutOptions& options, const v1::Description& plant);
std::optional<Error> report_rollout(const RolloutOptions& options, const v1::RolloutReply& reply,
                                    const v1::Description& plant, const Console& console);

}  // namespace kinloop::cli

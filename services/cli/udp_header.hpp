// Owns the verb `udp-header`: the C header with which a controller speaks to a rig over UDP.
#pragma once

#include <optional>
#include <string>

#include "services/cli/job.hpp"

namespace kinloop::cli {

struct UdpHeaderOptions {
  std::string rig;
  std::optional<int> adapter;  // which of the rig's; nothing: its only one over UDP
  std::string out = "-";       // "-": standard output
};

int run_udp_header(const UdpHeaderOptions& options, const console::Console& console);
void add_udp_header(CLI::App& app, Job& job);

}  // namespace kinloop::cli

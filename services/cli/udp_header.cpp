// Finds the adapter and writes its header.
#include "services/cli/udp_header.hpp"

#include <CLI/CLI.hpp>
#include <ostream>

#include "services/cli/write_out.hpp"
#include "services/console/exit_code.hpp"
#include "services/io/udp_header_text.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::cli {
namespace {

/// "adapters[0], adapters[2]", those over UDP.
std::string choices(const std::vector<std::size_t>& places) {
  std::string text;
  for (const std::size_t i : places) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

/// Which of the rig's adapters is meant.
Result<std::size_t> find_adapter(const RigSpec& rig, const UdpHeaderOptions& options) {
  std::vector<std::size_t> udp;
  for (std::size_t i = 0; i < rig.adapters.size(); ++i) {
    if (std::holds_alternative<UdpAdapterSpec>(rig.adapters[i])) udp.push_back(i);
  }
  if (udp.empty()) {
    return Error{options.rig, "the rig has no adapter of kind udp: see docs/adapters.md"};
  }
  if (!options.adapter) {
    if (udp.size() == 1) return udp.front();
    return Error{options.rig, "several adapters are of kind udp: say which with --adapter (" + choices(udp) + ")"};
  }
  for (const std::size_t i : udp) {
    if (static_cast<int>(i) == *options.adapter) return i;
  }
  return Error{"--adapter " + std::to_string(*options.adapter),
               "is no adapter of kind udp; those are: " + choices(udp)};
}

}  // namespace

int run_udp_header(const UdpHeaderOptions& options, const console::Console& console) {
  const auto rig = load_rig(options.rig);
  if (!rig) {
    console::print_errors(console, rig.error(), "");
    return console::kBadInput;
  }
  const Result<std::size_t> place = find_adapter(rig->spec, options);
  if (!place) return console::refuse(place.error(), console);
  const auto& adapter = std::get<UdpAdapterSpec>(rig->spec.adapters[*place]);
  const std::string text = io::udp_header_text("adapters[" + std::to_string(*place) + "]", adapter,
                                               io::make_udp_layout(*rig, adapter), rig->spec);
  return write_out(options.out, text, console);
}

void add_udp_header(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("udp-header", "write the C header for a controller that speaks UDP");
  auto options = std::make_shared<UdpHeaderOptions>();
  verb->add_option("RIG", options->rig, "rig file with an adapter of kind udp")->required();
  verb->add_option("--adapter", options->adapter, "which of the rig's adapters, from 0; needed where several are udp");
  verb->add_option("-o,--out", options->out, "file to write; - for standard output")->capture_default_str();
  verb->footer(
      "C99, self-contained: frames, their sizes asserted, ports, the number of the layout, places of signals by name,\n"
      "and two functions: fill in a command, check a frame of sensors.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage or bad rig, 1 the header could not be written\n"
      "\n"
      "example:\n"
      "  kinloop udp-header configs/rigs/cart_pole_udp.yaml --out cart_pole.h");
  verb->callback([options, &job] {
    job = [options](const console::Console& console) { return run_udp_header(*options, console); };
  });
}

}  // namespace kinloop::cli

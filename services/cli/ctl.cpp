// The verb ctl and its verbs.
#include "services/cli/ctl.hpp"

#include <CLI/CLI.hpp>

namespace kinloop::cli {

void add_ctl(CLI::App& app, Job& job) {
  CLI::App* ctl = app.add_subcommand("ctl", "talk to a running plant: look, pause, step, disturb, record");
  auto common = std::make_shared<CtlOptions>();
  ctl->require_subcommand(1);
  ctl->add_option("-p,--plant", common->plant,
                  "which: a rig's name, <rig>-<pid>, or the address of a control socket (default: the only one here)");
  ctl->add_flag("--json", common->json, "the answer as JSON (protobuf's mapping)");
  add_connection_options(*ctl, *common);
  ctl->get_formatter()->column_width(34);
  add_ctl_query(*ctl, common, job);
  add_ctl_run(*ctl, common, job);
  add_ctl_parameters(*ctl, common, job);
  add_ctl_disturbances(*ctl, common, job);
  add_ctl_capture(*ctl, common, job);
  add_ctl_states(*ctl, common, job);
  add_ctl_drive(*ctl, common, job);
  ctl->footer(
      "exit codes: 0 done, 1 the plant does not answer, 2 bad usage or the plant refused\n"
      "\n"
      "examples:\n"
      "  kinloop ctl plants                                  which run here\n"
      "  kinloop ctl describe                                signals, limits, parameters of the only one\n"
      "  kinloop ctl -p four_bar pause                       answers with the step\n"
      "  kinloop ctl step 10 && kinloop ctl resume\n"
      "  kinloop ctl set rod_mass=\"2.5 kg\"                   at the beginning of one step\n"
      "  kinloop ctl fault crank_angle bias \"2 deg\" --for \"200 ms\"\n"
      "  kinloop ctl capture crank_angle rises \"90 deg\" --before 20 --after 80 --csv around.csv\n"
      "  kinloop ctl send motor=\"12 V\" --for 2               an actuator by hand\n"
      "  kinloop ctl --json -p tcp://rig7:5600 status        for scripts, from another host\n"
      "  kinloop ctl fault --help                            more of one verb");
}

}  // namespace kinloop::cli

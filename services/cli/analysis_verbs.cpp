// The options of trim and fit.
#include <CLI/CLI.hpp>
#include <memory>

#include "services/cli/fit.hpp"
#include "services/cli/trim.hpp"

namespace kinloop::cli {

void add_trim(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("trim", "where a rig stands still, or moves on steadily, under what is given");
  auto options = std::make_shared<TrimOptions>();
  verb->add_option("RIG", options->file, "rig file")->required();
  verb->add_option("--coordinate", options->coordinates, "NAME=NUMBER: stays there, SI units; may be repeated");
  verb->add_option("--speed", options->speeds, "NAME=NUMBER: moves on so; speeds that are not named are zero");
  verb->add_option("--command", options->commands, "ACTUATOR=NUMBER: is given; the others are sought");
  verb->add_flag("--hold", options->hold, "all coordinates stay where the rig starts");
  verb->add_option("-o,--out", options->out, "JSON file of the state and commands; - for standard output");
  verb->add_option("--rig", options->rig, "rig file to write, the same but that it begins there");
  verb->add_option("--snapshot", options->snapshot, "snapshot to write, for ctl restore");
  verb->footer(
      "Sought are coordinates and commands that are not given and all that actuators remember (currents, pressures,\n"
      "lags), so that a step changes neither speeds nor memory. docs/linearization.md tells the rest.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage or file, 5 it cannot be reached; what is missing is said\n"
      "\n"
      "examples:\n"
      "  kinloop trim configs/rigs/excavator.yaml --hold\n"
      "  kinloop trim configs/rigs/pendulum.yaml --coordinate pin=0.5 -o pendulum.json\n"
      "  kinloop trim configs/rigs/stewart.yaml --hold --rig configs/rigs/stewart_held.yaml");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_trim(*options, console); }; });
}

void add_fit(CLI::App& app, Job& job) {
  CLI::App* verb =
      app.add_subcommand("fit", "masses, friction, stiffness of a mechanism from a record, with uncertainty");
  auto options = std::make_shared<FitOptions>();
  verb->add_option("RECORD", options->record, "MCAP that run --record wrote")->required();
  verb->add_option("--parameters", options->parameters, "to find, comma in between: mass.BODY, friction.*")
      ->delimiter(',')
      ->required();
  verb->add_option("--rig", options->rig,
                   "rig to fit instead of the recorded one: the same signals, its model's values to begin with");
  verb->add_option("--duration", options->duration, "of the beginning of the record (default: all of it)");
  verb->add_option("-o,--out", options->out, "JSON file of values, deviations and correlation; - for standard output");
  verb->add_option("--plot", options->plot, "picture of the residuals before and after, .svg or .png");
  verb->footer(
      "Least squares over one roll-out of the record with exact derivatives by mass, damping, friction, stiffness,\n"
      "force and rotor_inertia; the values of the model are where it begins. docs/identification.md tells the rest.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage or file, 5 it did not come to an end\n"
      "\n"
      "example:\n"
      "  kinloop fit swing.mcap --parameters mass.rod,friction.* --plot residuals.svg");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_fit(*options, console); }; });
}

}  // namespace kinloop::cli

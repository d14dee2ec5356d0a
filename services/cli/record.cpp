// Begins, looks on, ends; the plant's own io writes the file.
#include "services/cli/record.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <ostream>
#include <thread>

#include "services/cli/ctl_session.hpp"
#include "services/cli/time_argument.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/progress_bar.hpp"

namespace kinloop::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct RecordOptions {
  CtlOptions connection;
  std::string name, duration;
};

int record(const RecordOptions& options, double duration_s, const console::Console& console, client::Plant& plant,
           const std::function<bool()>& stops) {
  const auto begun = plant.start_record(options.name);
  if (!begun) return fail(options.connection, begun.error(), console);
  console.err << "recording into " << begun->file() << (duration_s > 0.0 ? "" : "; Ctrl-C ends it") << "\n";
  const auto begin = Clock::now();
  {
    console::ProgressBar progress(console);
    while (!stops()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const double passed_s = std::chrono::duration<double>(Clock::now() - begin).count();
      if (duration_s > 0.0) progress.show(passed_s / duration_s, passed_s);
      if (duration_s > 0.0 && passed_s >= duration_s) break;
    }
  }
  const auto ended = plant.stop_record();
  if (!ended) return fail(options.connection, ended.error(), console);
  console.out << ended->file() << ": " << ended->steps() << " steps";
  if (ended->dropped() > 0) console.out << ", " << ended->dropped() << " messages were lost";
  console.out << "\n";
  return console::kDone;
}

}  // namespace

void add_record(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("record", "record a running plant, until Ctrl-C");
  auto options = std::make_shared<RecordOptions>();
  add_connection_options(*verb, options->connection);
  verb->add_option("NAME", options->name, "of the file, in the directory of the run (default: record-<n>.mcap)");
  verb->add_option("-t,--duration", options->duration, "with or without a unit; else until Ctrl-C");
  verb->footer(
      "All steps, frames, commands and events go into an MCAP file in the directory of the run, on the plant's host,\n"
      "beginning with its present state. kinloop run --record begins with the first step.\n"
      "\n"
      "examples:\n"
      "  kinloop record sway.mcap -t \"30 s\"\n"
      "  kinloop replay runs/crane-*/sway.mcap && kinloop export runs/crane-*/sway.mcap --csv --out sway.csv");
  verb->callback([options, &job] {
    job = [options](const console::Console& console) {
      double duration_s = 0.0;
      if (!options->duration.empty()) {
        const Result<double> read = read_time("--duration", options->duration);
        if (!read) {
          console::print_errors(console, {read.error()}, "");
          return static_cast<int>(console::kBadInput);
        }
        duration_s = *read;
      }
      return with_plant(options->connection, console, [&](client::Plant& plant, const std::function<bool()>& stops) {
        return record(*options, duration_s, console, plant, stops);
      });
    };
  });
}

}  // namespace kinloop::cli

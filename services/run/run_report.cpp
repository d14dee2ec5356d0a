// Lines of the log, a table on the output, files of the run directory.
#include "services/run/run_report.hpp"

#include <algorithm>
#include <sstream>

#include "services/console/room.hpp"
#include "services/console/table.hpp"
#include "services/gateway/gateway.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/run/run_files.hpp"
#include "services/timing/timing_text.hpp"

namespace kinloop::run {

void RunReport::say_errors(const std::vector<Error>& errors, const std::string& hint) const {
  for (const Error& error : errors) log_.error(error);
  for (std::size_t start = 0; start < hint.size();) {
    const std::size_t end = std::min(hint.find('\n', start), hint.size());
    log_.error(hint.substr(start, end - start));
    start = end + 1;
  }
}

void RunReport::say_hello(const RunDirectory& directory, const std::filesystem::path& folder) const {
  const timing::SolverNames& solver = facts_.solvers[0];
  log_.info(spec_.name + ": " + console::plain_number(1.0 / spec_.plant.dt_s) + " Hz, " +
            std::string(name_of(spec_.mode)) + ", " + solver.dynamics + " with " + solver.integrator +
            "; run directory " + directory.path().string());
  if (!solver.integrator_reason.empty()) {
    log_.info("auto takes " + solver.integrator + ": " + solver.integrator_reason);
  }
  log_.debug("the plant has core " + std::to_string(spec_.core) + ", the watchdog core " +
             std::to_string(spec_.watchdog.core) + " (-1: any)");
  if (folder.empty()) return;
  log_.info("kinloop ctl and kinloop top find it as " + folder.filename().string());
  for (const v1::Endpoint& endpoint : io::read_endpoints(folder)) {
    if (endpoint.socket() == gateway::kPanelEndpoint) log_.info("open " + endpoint.address());
  }
}

void RunReport::say_refusals() const {
  std::vector<Error> errors;
  std::string hint = "--allow-degraded runs without; as root:";
  for (const rt::Refusal& refusal : facts_.refusals) {
    errors.push_back({"this host does not permit", refusal.what});
    if (hint.find(refusal.fix) == std::string::npos) hint += "\n  " + refusal.fix;
  }
  say_errors(errors, hint);
}

void RunReport::print(const timing::TimingSummary& summary, const rt::LoopStatus& status,
                      std::chrono::milliseconds patience) const {
  std::ostringstream out;
  out << console_.on_out(spec_.name + ": " + console::plain_number(status.time_s) + " s of its time, step " +
                             std::to_string(status.step),
                         console::Style::kBold)
      << "\n";
  const timing::SolverNames& solver = facts_.solvers[0];
  out << solver.dynamics << " with " << solver.integrator;
  if (!solver.integrator_reason.empty()) out << ", by auto: " << solver.integrator_reason;
  out << "\n";
  print_timing(summary, facts_.refusals, {out, console_.err, console_.out_colours});
  if (console_.out_descriptor < 0) {
    console_.out << out.str() << std::flush;
  } else if (!console::write_where_there_is_room(console_.out_descriptor, out.str(), patience)) {
    log_.warning("the report found no room on the output");
  }
}

bool RunReport::write(const timing::TimingSummary& summary, int exit_code, const RunDirectory& directory,
                      const std::string& certificate) const {
  std::vector<Error> errors;
  if (auto failure = write_timing_file(directory, facts_, summary, exit_code)) {
    errors.push_back(failure->error);
  }
  if (!certificate.empty()) {
    if (auto failure = timing::write_certificate(certificate, facts_, summary)) errors.push_back(failure->error);
  }
  say_errors(errors, "");
  return errors.empty();
}

}  // namespace kinloop::run

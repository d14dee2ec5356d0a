// One file after the other, up to the first that cannot be written.
#include "services/run/run_files.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "services/rig/write_rig.hpp"
#include "services/run/child_process.hpp"
#include "services/timing/timing_json.hpp"

namespace kinloop::run {
namespace {

/// A rig as it was written, with what `auto` came to beside each integrator.
std::string with_choices(std::string rig, const std::vector<timing::SolverNames>& solvers) {
  std::size_t at = 0;
  for (const timing::SolverNames& solver : solvers) {
    at = rig.find("integrator: ", at);
    if (at == std::string::npos) break;
    at = rig.find('\n', at);
    if (at == std::string::npos) break;
    if (!solver.integrator_reason.empty()) rig.insert(at, "  # " + solver.integrator + ": " + solver.integrator_reason);
  }
  return rig;
}

}  // namespace

std::optional<WriteFailure> write_run_files(const RunDirectory& directory, const RigSpec& spec,
                                            const timing::CertificateFacts& facts, const rt::MemoryFiles& memory) {
  const std::string model = kept_model_name(spec);
  std::error_code error;
  std::filesystem::copy_file(spec.model, directory / model, error);
  if (error) return WriteFailure{{(directory / model).string(), error.message()}};
  std::optional<WriteFailure> failure;
  failure = write_file(directory / "rig.yaml", with_choices(write_rig(spec, model), facts.solvers));
  if (!failure) {
    failure = write_file(directory / "host.json", timing::json_text(timing::host_json(facts), 2) + "\n");
  }
  if (!failure) failure = write_file(directory / "memory", memory_text(memory));
  return failure;
}

std::optional<WriteFailure> write_timing_file(const RunDirectory& directory, const timing::CertificateFacts& facts,
                                              const timing::TimingSummary& summary, int exit_code) {
  nlohmann::ordered_json timing = timing::timing_json(summary);
  timing["refusals"] = timing::refusals_json(facts.refusals);
  timing["exit_code"] = exit_code;
  return write_file(directory / "timing.json", timing::json_text(timing, 2) + "\n");
}

}  // namespace kinloop::run

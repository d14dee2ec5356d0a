// Owns the latency certificate: a file that states how a rig kept its times, on which host and under which conditions.
// Its keys are public: docs/timing-report.md.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rt/loop/thread_setup.hpp"
#include "rt/policies/mode.hpp"
#include "rt/policies/overrun_policy.hpp"
#include "services/base/write_file.hpp"
#include "services/host/host_facts.hpp"
#include "services/timing/timing_chart.hpp"
#include "services/timing/timing_summary.hpp"

namespace kinloop::timing {

inline constexpr const char* kCertificateFormat = "kinloop.latency_certificate";
inline constexpr int kCertificateVersion = 1;

/// As they ran: not "auto", but what it chose.
struct SolverNames {
  std::string dynamics, integrator;
  int substeps = 1;
  std::string integrator_reason = {};  // of `auto`
};

/// What the summary does not know of a run.
struct CertificateFacts {
  std::string rig, model;
  rt::Mode mode = rt::Mode::kRealTime;
  rt::OverrunKind overrun = rt::OverrunKind::kSkip;
  double dt_s = 0.0;
  std::vector<SolverNames> solvers;  // one for each level
  std::chrono::system_clock::time_point started;
  double duration_s = 0.0;  // by the clock on the wall
  std::string host_name;    // host::host_name()
  host::HostFacts host;
  rt::ThreadWishes wishes;
  std::vector<rt::Refusal> refusals;
};

/// The host's part of a certificate.
nlohmann::ordered_json host_json(const CertificateFacts& facts);
nlohmann::ordered_json certificate_json(const CertificateFacts& facts, const TimingSummary& summary);
/// The same as a file: a line for each of the many buckets' lists.
std::string certificate_text(const CertificateFacts& facts, const TimingSummary& summary);
TimingHeading certificate_heading(const CertificateFacts& facts, const TimingSummary& summary);

/// "run.svg" beside "run.json"; another ending is kept: "run.txt.svg".
std::filesystem::path chart_path(const std::filesystem::path& certificate);

/// The certificate, and its chart beside it, each whole or not at all. Nothing if it worked.
std::optional<WriteFailure> write_certificate(const std::filesystem::path& path, const CertificateFacts& facts,
                                              const TimingSummary& summary);

/// "2026-03-01T08:30:00Z".
std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace kinloop::timing

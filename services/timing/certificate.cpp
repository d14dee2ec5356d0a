// What ran, where, how it went, and the numbers behind that.
#include "services/timing/certificate.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "services/host/build_facts.hpp"
#include "services/host/cpu_list.hpp"
#include "services/host/findings.hpp"
#include "services/timing/timing_json.hpp"
#include "services/timing/verdict.hpp"

namespace kinloop::timing {
namespace {

using Json = nlohmann::ordered_json;

bool has_preempt_rt(const host::HostFacts& host) { return host.realtime_signs.size() > 1; }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json findings_json(const std::vector<host::Finding>& findings) {
  Json list = Json::array();
  for (const host::Finding& finding : findings) {
    list.push_back({{"topic", finding.topic},
                    {"verdict", host::name_of(finding.verdict)},
                    {"what", finding.what},
                    {"fix", finding.fix.empty() ? Json(nullptr) : Json(finding.fix)}});
  }
  return list;
}

Json host_and_findings(const CertificateFacts& facts, const std::vector<host::Finding>& findings) {
  const host::HostFacts& host = facts.host;
  return {{"name", facts.host_name},
          {"kernel", host.kernel},
          {"preempt_rt", has_preempt_rt(host)},
          {"preemption", host.preemption},
          {"processor", host.processor},
          {"hypervisor", host.hypervisor.empty() ? Json(nullptr) : Json(host.hypervisor)},
          {"core", host.core},
          {"core_isolated", host::contains(host.isolated, host.core)},
          {"online", host::cpu_list(host.online)},
          {"isolated", host::cpu_list(host.isolated)},
          {"nohz_full", host::cpu_list(host.nohz_full)},
          {"rcu_nocbs", host::cpu_list(host.rcu_nocbs)},
          {"siblings", host::cpu_list(host.siblings)},
          {"interrupts_on_core", host.irqs.size()},
          {"governor", or_null(host.governor)},
          {"clock_source", host.clock_source},
          {"rt_runtime_us", or_null(host.rt_runtime_us)},
          {"cpu_quota", host.cpu_quota.empty() ? Json(nullptr) : Json(host.cpu_quota)},
          {"findings", findings_json(findings)}};
}

Json solvers_json(const std::vector<SolverNames>& solvers) {
  Json list = Json::array();
  for (const SolverNames& solver : solvers) {
    list.push_back({{"dynamics", solver.dynamics}, {"integrator", solver.integrator}, {"substeps", solver.substeps}});
    if (!solver.integrator_reason.empty()) list.back()["integrator_reason"] = solver.integrator_reason;
  }
  return list;
}

Json thread_json(const rt::ThreadWishes& wishes) {
  return {{"priority", wishes.priority},
          {"core", wishes.core >= 0 ? Json(wishes.core) : Json(nullptr)},
          {"locked_memory", wishes.locked_memory},
          {"awake_processors", wishes.awake_processors}};
}

/// What was not asked for is missing as much as what was refused.
Judgement judge_run(const CertificateFacts& facts, const TimingSummary& summary,
                    const std::vector<host::Finding>& findings) {
  Judgement judgement = judge(summary, facts.refusals, findings);
  if (facts.mode != rt::Mode::kRealTime || facts.wishes.priority > 0) return judgement;
  judgement.reasons.emplace_back("ordinary scheduling: no real-time priority was asked for");
  if (judgement.verdict == Verdict::kKept) judgement.verdict = Verdict::kDegraded;
  return judgement;
}

/// `{` and a line for each entry of an object.
std::string lines_of(const Json& object, const std::string& indent) {
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, value] : object.items()) {
    text += separator + indent + "  " + json_text(Json(key), -1) + ": ";
    text += value.is_object() ? lines_of(value, indent + "  ") : json_text(value, -1);
    separator = ",\n";
  }
  return text + "\n" + indent + "}";
}

}  // namespace

Json host_json(const CertificateFacts& facts) { return host_and_findings(facts, host::judge(facts.host)); }

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return buffer.data();
}

Json certificate_json(const CertificateFacts& facts, const TimingSummary& summary) {
  const std::vector<host::Finding> findings = host::judge(facts.host);
  const Judgement judgement = judge_run(facts, summary, findings);
  return {{"format", kCertificateFormat},
          {"version", kCertificateVersion},
          {"program", {{"version", host::build_facts().version}, {"commit", host::build_facts().commit}}},
          {"verdict", name_of(judgement.verdict)},
          {"reasons", judgement.reasons},
          {"rig", facts.rig},
          {"model", facts.model},
          {"mode", name_of(facts.mode)},
          {"overrun_policy", name_of(facts.overrun)},
          {"dt_s", facts.dt_s},
          {"solvers", solvers_json(facts.solvers)},
          {"started", utc_text(facts.started)},
          {"duration_s", facts.duration_s},
          {"host", host_and_findings(facts, findings)},
          {"thread_wishes", thread_json(facts.wishes)},
          {"refusals", refusals_json(facts.refusals)},
          {"timing", timing_json(summary)},
          {"histograms", histograms_json(summary)}};
}

std::string certificate_text(const CertificateFacts& facts, const TimingSummary& summary) {
  return lines_of(certificate_json(facts, summary), "") + "\n";
}

TimingHeading certificate_heading(const CertificateFacts& facts, const TimingSummary& summary) {
  const host::HostFacts& host = facts.host;
  const Judgement judgement = judge_run(facts, summary, host::judge(host));
  TimingHeading heading;
  heading.title = facts.rig + " on " + facts.host_name;
  if (summary.has_deadlines()) heading.title += ", a step every " + duration_text(summary.period_ns);
  heading.verdict = judgement.verdict;
  // Late steps of the grace are the first reason, and in the sentence on deadlines already.
  const std::size_t said = summary.status.overrun.misses > 0 ? 1 : 0;
  if (judgement.verdict == Verdict::kDegraded) {
    heading.remark = judgement.reasons[said];
    const std::size_t more = judgement.reasons.size() - said - 1;
    if (more > 0) heading.remark += ", and " + std::to_string(more) + " more";
  }
  constexpr const char* kSeparator = "  ·  ";
  heading.about = "kernel " + host.kernel + (has_preempt_rt(host) ? ", PREEMPT_RT" : ", no PREEMPT_RT") + kSeparator +
                  "core " + std::to_string(host.core) +
                  (host::contains(host.isolated, host.core) ? ", isolated" : ", not isolated");
  if (!host.hypervisor.empty()) heading.about += std::string(kSeparator) + "hypervisor " + host.hypervisor;
  if (host.governor) heading.about += std::string(kSeparator) + "governor " + *host.governor;
  heading.about += kSeparator + utc_text(facts.started);
  if (!host.processor.empty()) heading.about += kSeparator + host.processor;
  return heading;
}

std::filesystem::path chart_path(const std::filesystem::path& certificate) {
  if (certificate.extension() == ".json") return std::filesystem::path(certificate).replace_extension(".svg");
  return certificate.string() + ".svg";
}

std::optional<WriteFailure> write_certificate(const std::filesystem::path& path, const CertificateFacts& facts,
                                              const TimingSummary& summary) {
  if (auto failure = write_file(path, certificate_text(facts, summary))) return failure;
  const std::filesystem::path chart = chart_path(path);
  const Result<std::string> svg = timing_image(summary, certificate_heading(facts, summary), plot::ImageFormat::kSvg);
  if (!svg) return WriteFailure{{chart.string(), svg.error().what}, WriteStage::kWrite};
  return write_file(chart, svg.value());
}

}  // namespace kinloop::timing

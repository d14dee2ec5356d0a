// One line a topic, the command that mends it below.
#include "services/cli/doctor.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "services/console/exit_code.hpp"

namespace kinloop::cli {
namespace {

using host::Finding;
using host::Verdict;

console::Style style_of_verdict(Verdict verdict) {
  if (verdict == Verdict::kGood) return console::Style::kGood;
  return verdict == Verdict::kBad ? console::Style::kBad : console::Style::kWarning;
}

void print_findings(const host::HostFacts& facts, const std::vector<Finding>& findings,
                    const console::Console& console) {
  std::size_t topic_width = 0;
  for (const Finding& finding : findings) topic_width = std::max(topic_width, finding.topic.size());
  constexpr std::size_t kVerdictWidth = 15;
  console.out << console.on_out("this host, for a real-time loop on core " + std::to_string(facts.core),
                                console::Style::kBold)
              << "\n";
  for (const Finding& finding : findings) {
    const std::string verdict = name_of(finding.verdict);
    console.out << "  " << console.on_out(verdict, style_of_verdict(finding.verdict))
                << std::string(kVerdictWidth - verdict.size() + 2, ' ') << finding.topic
                << std::string(topic_width - finding.topic.size() + 2, ' ') << finding.what << "\n";
    if (!finding.fix.empty()) {
      console.out << std::string(kVerdictWidth + topic_width + 6, ' ')
                  << console.on_out("# " + finding.fix, console::Style::kDim) << "\n";
    }
  }
}

nlohmann::ordered_json as_json(const host::HostFacts& facts, const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json entry = {
        {"topic", finding.topic}, {"verdict", name_of(finding.verdict)}, {"what", finding.what}};
    if (!finding.fix.empty()) entry["fix"] = finding.fix;
    list.push_back(entry);
  }
  return {{"kernel", facts.kernel},
          {"preempt_rt", facts.realtime_signs.size() > 1},
          {"processor", facts.processor},
          {"core", facts.core},
          {"findings", list}};
}

std::ptrdiff_t count_of(const std::vector<Finding>& findings, Verdict verdict) {
  return std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.verdict == verdict; });
}

}  // namespace

int print_findings(const host::HostFacts& facts, console::Format format, const console::Console& console) {
  const std::vector<Finding> findings = host::judge(facts);
  const std::ptrdiff_t bad = count_of(findings, Verdict::kBad);
  if (format == console::Format::kJson) {
    console.out << as_json(facts, findings).dump(2) << "\n";
  } else {
    print_findings(facts, findings, console);
    const std::ptrdiff_t better = count_of(findings, Verdict::kCouldBeBetter);
    console.out << "  " << findings.size() - static_cast<std::size_t>(bad + better) << " good, " << better
                << " could be better, " << bad << " bad" << (bad + better > 0 ? "; commands are for root" : "") << "\n";
  }
  return bad > 0 ? console::kRefused : console::kDone;
}

void add_doctor(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("doctor", "how fit this host is for real time, and what would mend it");
  struct Options {
    std::optional<int> core;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  verb->add_option("--core", options->core, "the processor to look at (else an isolated one, else the last)")
      ->check(CLI::Range(0, 4095));
  verb->add_flag("--json", options->json, "machine-readable");
  verb->footer(
      "examples:\n"
      "  kinloop doctor                  every line good, could be better or bad, with the command that mends it\n"
      "  kinloop doctor --core 3\n"
      "  kinloop doctor --json | jq '.findings[] | select(.verdict == \"bad\")'\n"
      "\n"
      "It changes nothing. Exit code 6 where something is bad, so that a rig can refuse to start.");
  verb->callback([options, &job] {
    job = [options](const console::Console& console) {
      return print_findings(host::read_host_facts(options->core),
                            options->json ? console::Format::kJson : console::Format::kText, console);
    };
  });
}

}  // namespace kinloop::cli

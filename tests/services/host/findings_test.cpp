// Tests the judgement: a host made for real time has nothing to mend, and each fault is found and mended by a command.
#include "services/host/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "services/cli/doctor.hpp"
#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"

namespace kinloop::host {
namespace {

using testing::HasSubstr;

HostFacts made_for_real_time() {
  HostFacts facts;
  facts.kernel = "6.1.0-18-rt-amd64";
  facts.preemption = "PREEMPT_RT";
  facts.realtime_signs = {"/sys/kernel/realtime is 1", "/proc/version says PREEMPT_RT"};
  facts.online = facts.allowed = {0, 1, 2, 3};
  facts.isolated = facts.nohz_full = facts.rcu_nocbs = {3};
  facts.core = 3;
  facts.siblings = {3};
  facts.governor = "performance";
  facts.idle_states = {{"POLL", 0, false}, {"C1", 2, false}, {"C6", 133, true}};
  facts.can_hold_latency = true;
  facts.rt_runtime_us = -1;
  facts.rt_period_us = 1000000;
  facts.memlock_bytes = facts.rtprio = INT64_MAX;
  facts.clock_source = "tsc";
  return facts;
}

Finding finding_of(const HostFacts& facts, std::string_view topic) {
  for (const Finding& finding : judge(facts)) {
    if (finding.topic == topic) return finding;
  }
  ADD_FAILURE() << "no finding about " << topic;
  return {};
}

TEST(Findings, AreAllGoodOfAHostMadeForRealTime) {
  for (const Finding& finding : judge(made_for_real_time())) {
    EXPECT_EQ(finding.verdict, Verdict::kGood) << finding.topic << ": " << finding.what;
    EXPECT_TRUE(finding.fix.empty()) << finding.topic;
    EXPECT_FALSE(finding.what.empty()) << finding.topic;
  }
}

struct Fault {
  const char* topic;
  void (*break_it)(HostFacts&);
  Verdict verdict;
  const char* fix;  // part of it; nullptr: no command helps
};

const Fault kFaults[] = {
    {"kernel", [](HostFacts& f) { f.realtime_signs.clear(); }, Verdict::kCouldBeBetter, "linux-image-rt-amd64"},
    {"kernel", [](HostFacts& f) { f.realtime_signs.pop_back(); }, Verdict::kCouldBeBetter, nullptr},
    {"processors", [](HostFacts& f) { f.online = {3}; }, Verdict::kBad, nullptr},
    {"processors", [](HostFacts& f) { f.core = 7; }, Verdict::kBad, nullptr},
    {"processors",
     [](HostFacts& f) {
       f.allowed = {0, 1};
       f.isolated.clear();
     },
     Verdict::kBad, "taskset -pc 3"},
    {"isolcpus", [](HostFacts& f) { f.isolated.clear(); }, Verdict::kCouldBeBetter, "isolcpus=managed_irq,domain,3"},
    {"nohz_full", [](HostFacts& f) { f.nohz_full.clear(); }, Verdict::kCouldBeBetter, "nohz_full=3"},
    {"rcu_nocbs", [](HostFacts& f) { f.rcu_nocbs = f.nohz_full = {}; }, Verdict::kCouldBeBetter, "rcu_nocbs=3"},
    {"interrupts",
     [](HostFacts& f) {
       f.irqs = {{17, "eth0"}, {18, "usb"}};
     },
     Verdict::kCouldBeBetter, "for i in 17 18; do echo 0-2 > /proc/irq/$i/smp_affinity_list; done"},
    {"frequency", [](HostFacts& f) { f.governor = "powersave"; }, Verdict::kCouldBeBetter, "cpu3/cpufreq"},
    {"frequency", [](HostFacts& f) { f.governor.reset(); }, Verdict::kCouldBeBetter, nullptr},
    {"idle states",
     [](HostFacts& f) {
       f.idle_states[2].disabled = false;
       f.can_hold_latency = false;
     },
     Verdict::kCouldBeBetter, "cpu3/cpuidle"},
    {"throttling", [](HostFacts& f) { f.rt_runtime_us = 950000; }, Verdict::kCouldBeBetter,
     "sysctl -w kernel.sched_rt_runtime_us=-1"},
    {"priority", [](HostFacts& f) { f.rtprio = 0; }, Verdict::kBad, "cap_sys_nice"},
    {"locked memory", [](HostFacts& f) { f.memlock_bytes = 8 << 20; }, Verdict::kBad, "cap_ipc_lock"},
    {"control group", [](HostFacts& f) { f.cpu_quota = "50000 100000"; }, Verdict::kBad, "CPUQuota="},
    {"hypervisor", [](HostFacts& f) { f.hypervisor = "QEMU"; }, Verdict::kCouldBeBetter, nullptr},
    {"hardware threads",
     [](HostFacts& f) {
       f.siblings = {1, 3};
     },
     Verdict::kCouldBeBetter, "cpu1/online"},
    {"clock source", [](HostFacts& f) { f.clock_source = "hpet"; }, Verdict::kBad, "tsc=reliable"},
    {"clock source",
     [](HostFacts& f) {
       f.clock_source = "kvm-clock";
       f.clock_sources = {"tsc"};
     },
     Verdict::kCouldBeBetter, "echo tsc"},
};

TEST(Findings, NameEveryFaultAndTheCommandThatMendsIt) {
  for (const Fault& fault : kFaults) {
    HostFacts facts = made_for_real_time();

    fault.break_it(facts);
    const Finding finding = finding_of(facts, fault.topic);

    EXPECT_EQ(finding.verdict, fault.verdict) << fault.topic << ": " << finding.what;
    if (fault.fix != nullptr) {
      EXPECT_THAT(finding.fix, HasSubstr(fault.fix)) << fault.topic;
    } else {
      EXPECT_TRUE(finding.fix.empty()) << finding.fix;
    }
  }
}

TEST(Findings, CountCapabilitiesAsPermission) {
  HostFacts facts = made_for_real_time();
  facts.rtprio = facts.memlock_bytes = 0;
  facts.has_sys_nice = facts.has_ipc_lock = true;

  EXPECT_EQ(finding_of(facts, "priority").verdict, Verdict::kGood);
  EXPECT_EQ(finding_of(facts, "locked memory").verdict, Verdict::kGood);
}

TEST(Doctor, EndsWithSixWhereSomethingIsBad) {
  std::ostringstream out, err;
  const console::Console console{out, err};
  HostFacts facts = made_for_real_time();

  EXPECT_EQ(cli::print_findings(facts, console::Format::kText, console), console::kDone);
  EXPECT_THAT(out.str(), HasSubstr("15 good, 0 could be better, 0 bad"));
  facts.rtprio = 0;
  EXPECT_EQ(cli::print_findings(facts, console::Format::kText, console), console::kRefused);
  EXPECT_THAT(out.str(), HasSubstr("# setcap cap_sys_nice"));
}

TEST(Doctor, SpeaksJsonOfTheHostItRunsOn) {
  const cli::Ran ran = cli::run_kinloop({"doctor", "--json", "--core", "0"});

  EXPECT_TRUE(ran.code == console::kDone || ran.code == console::kRefused) << ran.err;
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["core"], 0);
  EXPECT_EQ(report["findings"].size(), 15U);
  for (const auto& finding : report["findings"]) {
    EXPECT_TRUE(finding["verdict"] == "good" || finding["verdict"] == "could be better" || finding["verdict"] == "bad");
  }
}

TEST(Doctor, RefusesACoreThatIsNoNumber) {
  EXPECT_EQ(cli::run_kinloop({"doctor", "--core", "first"}).code, console::kBadInput);
  EXPECT_EQ(cli::run_kinloop({"doctor", "--core", "-1"}).code, console::kBadInput);
}

TEST(Findings, AnIsolatedCoreIsForThoseWhoMoveThereThemselves) {
  HostFacts facts = made_for_real_time();
  facts.allowed = {0, 1, 2};

  for (const Finding& finding : judge(facts)) {
    if (finding.topic != "processors") continue;
    EXPECT_EQ(finding.verdict, Verdict::kGood) << finding.what;
  }
}

}  // namespace
}  // namespace kinloop::host

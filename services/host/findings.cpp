// Judges the host for real time, one function a topic.
#include "services/host/findings.hpp"

#include <algorithm>

#include "rt/loop/thread_setup.hpp"
#include "services/host/cpu_list.hpp"

namespace kinloop::host {
namespace {

Finding good(std::string what) { return {"", Verdict::kGood, std::move(what), ""}; }
Finding could_be_better(std::string what, std::string fix = "") {
  return {"", Verdict::kCouldBeBetter, std::move(what), std::move(fix)};
}
Finding bad(std::string what, std::string fix = "") { return {"", Verdict::kBad, std::move(what), std::move(fix)}; }

std::string core_name(const HostFacts& facts) { return "core " + std::to_string(facts.core); }

/// Adds a parameter to the kernel's command line, by Debian's ways.
std::string boot_with(const std::string& parameter) {
  return "sed -i 's/^GRUB_CMDLINE_LINUX=\"/&" + parameter + " /' /etc/default/grub && update-grub && reboot";
}

Finding kernel(const HostFacts& facts) {
  const std::string name = facts.kernel + (facts.preemption.empty() ? "" : ", " + facts.preemption);
  if (facts.realtime_signs.empty()) {
    return could_be_better(name + ": no sign of PREEMPT_RT, so there is no bound on the worst wake-up",
                           "apt-get install linux-image-rt-amd64 && reboot");
  }
  std::string signs;
  for (const std::string& sign : facts.realtime_signs) signs += (signs.empty() ? "" : "; ") + sign;
  if (facts.realtime_signs.size() == 1) return could_be_better(name + ": one sign of PREEMPT_RT only: " + signs);
  return good(name + ": " + signs);
}

Finding cores(const HostFacts& facts) {
  const std::string there = "processors " + cpu_list(facts.online);
  if (!contains(facts.online, facts.core)) return bad(core_name(facts) + " is not there: " + there);
  // The scheduler's default leaves isolated processors out; a thread may still move there itself.
  const bool may_use =
      facts.allowed.empty() || contains(facts.allowed, facts.core) || contains(facts.isolated, facts.core);
  if (!may_use) {
    return bad(core_name(facts) + " is not for this process, which may use " + cpu_list(facts.allowed),
               "taskset -pc " + std::to_string(facts.core) + " $$");
  }
  if (facts.online.size() < 2) return bad("one processor only: the loop and all the rest of the host share it");
  return good(there + ", the loop on " + core_name(facts));
}

Finding isolation(const HostFacts& facts) {
  if (contains(facts.isolated, facts.core)) return good(core_name(facts) + " is isolated from the scheduler");
  return could_be_better("any thread may be put on " + core_name(facts),
                         boot_with("isolcpus=managed_irq,domain," + std::to_string(facts.core)));
}

Finding ticks(const HostFacts& facts) {
  if (contains(facts.nohz_full, facts.core)) return good(core_name(facts) + " has no timer tick while one thread runs");
  return could_be_better("the timer tick interrupts " + core_name(facts),
                         boot_with("nohz_full=" + std::to_string(facts.core)));
}

Finding rcu(const HostFacts& facts) {
  const bool elsewhere = contains(facts.rcu_nocbs, facts.core) || contains(facts.nohz_full, facts.core);
  if (elsewhere) return good("RCU callbacks run elsewhere than on " + core_name(facts));
  return could_be_better("RCU callbacks may run on " + core_name(facts),
                         boot_with("rcu_nocbs=" + std::to_string(facts.core)));
}

Finding interrupts(const HostFacts& facts) {
  if (facts.irqs.empty()) return good("no device interrupts " + core_name(facts));
  constexpr std::size_t kMaxNamed = 4;
  std::string names;
  std::string numbers;
  for (std::size_t i = 0; i < facts.irqs.size(); ++i) {
    const Irq& irq = facts.irqs[i];
    if (i < kMaxNamed) names += (i > 0 ? ", " : "") + std::to_string(irq.number) + " (" + irq.name + ")";
    numbers += (i > 0 ? " " : "") + std::to_string(irq.number);
  }
  if (facts.irqs.size() > kMaxNamed) names += " and " + std::to_string(facts.irqs.size() - kMaxNamed) + " more";
  std::vector<int> others = facts.online;
  others.erase(std::remove(others.begin(), others.end(), facts.core), others.end());
  return could_be_better("interrupts on " + core_name(facts) + ": " + names,
                         others.empty() ? ""
                                        : "for i in " + numbers + "; do echo " + cpu_list(others) +
                                              " > /proc/irq/$i/smp_affinity_list; done");
}

Finding frequency(const HostFacts& facts) {
  if (!facts.governor) return could_be_better("no cpufreq is seen: firmware or hypervisor decide the frequency");
  if (*facts.governor == "performance") return good(core_name(facts) + " keeps its highest frequency");
  return could_be_better(
      "governor " + *facts.governor + ": " + core_name(facts) + " slows down when idle",
      "echo performance > /sys/devices/system/cpu/cpu" + std::to_string(facts.core) + "/cpufreq/scaling_governor");
}

Finding idle_states(const HostFacts& facts) {
  constexpr std::int64_t kDeep_us = 10;
  const IdleState* deepest = nullptr;
  for (const IdleState& state : facts.idle_states) {
    if (state.disabled || state.latency_us <= kDeep_us) continue;
    if (deepest == nullptr || state.latency_us > deepest->latency_us) deepest = &state;
  }
  if (deepest == nullptr) return good("no idle state that takes more than 10 us to leave");
  const std::string what = "state " + deepest->name + " takes " + std::to_string(deepest->latency_us) + " us to leave";
  if (facts.can_hold_latency) return good(what + "; /dev/cpu_dma_latency may be held, which keeps out of it");
  return could_be_better(what, "for f in /sys/devices/system/cpu/cpu" + std::to_string(facts.core) +
                                   "/cpuidle/state[1-9]/disable; do echo 1 > $f; done");
}

Finding throttling(const HostFacts& facts) {
  if (!facts.rt_runtime_us) return could_be_better("no sched_rt_runtime_us is seen");
  if (*facts.rt_runtime_us < 0 || *facts.rt_runtime_us >= facts.rt_period_us.value_or(1'000'000)) {
    return good("real-time threads may use all of the time");
  }
  return could_be_better("real-time threads are stopped after " + std::to_string(*facts.rt_runtime_us) +
                             " us of every " + std::to_string(facts.rt_period_us.value_or(1'000'000)) + " us",
                         "sysctl -w kernel.sched_rt_runtime_us=-1");
}

Finding priority(const HostFacts& facts) {
  constexpr std::int64_t kWanted = 90;
  if (facts.has_sys_nice) return good("may set any real-time priority (CAP_SYS_NICE)");
  if (facts.rtprio.value_or(0) >= kWanted) {
    return good("may set real-time priorities up to " +
                (*facts.rtprio == INT64_MAX ? std::string("99") : std::to_string(*facts.rtprio)));
  }
  return bad("may set real-time priorities up to " + std::to_string(facts.rtprio.value_or(0)) + ", not 90",
             rt::kPermitCommand);
}

Finding locked_memory(const HostFacts& facts) {
  if (facts.has_ipc_lock) return good("may lock all memory (CAP_IPC_LOCK)");
  constexpr std::int64_t kWanted = 512 << 20;
  const std::int64_t limit = facts.memlock_bytes.value_or(0);
  if (limit >= kWanted) return good("may lock memory");
  return bad("may lock " + std::to_string(limit / 1024) + " KiB, not 512 MiB: page faults would stop the loop",
             rt::kPermitCommand);
}

Finding quota(const HostFacts& facts) {
  if (facts.cpu_quota.empty()) return good("the control group has no quota");
  return bad(
      "the control group may use " + facts.cpu_quota + " us (quota, period): the loop will be stopped in between",
      "systemctl set-property \"$(sed -n 's|^0::/.*/||p' /proc/self/cgroup)\" CPUQuota=");
}

Finding hypervisor(const HostFacts& facts) {
  if (facts.hypervisor.empty()) return good("none is seen");
  return could_be_better(facts.hypervisor + ": it may take the processor away at any time, for any time");
}

Finding hardware_threads(const HostFacts& facts) {
  std::vector<int> others = facts.siblings;
  others.erase(std::remove(others.begin(), others.end(), facts.core), others.end());
  if (others.empty()) return good(core_name(facts) + " shares its execution units with no other");
  return could_be_better(core_name(facts) + " shares its execution units with " + cpu_list(others),
                         "echo 0 > /sys/devices/system/cpu/cpu" + std::to_string(others.front()) + "/online");
}

Finding clock(const HostFacts& facts) {
  if (facts.clock_source.empty()) return could_be_better("no clock source is seen");
  if (facts.clock_source == "tsc") return good("tsc: read within tens of nanoseconds, without a system call");
  const auto& known = facts.clock_sources;
  const bool has_tsc = std::find(known.begin(), known.end(), "tsc") != known.end();
  const std::string fix = has_tsc ? "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"
                                  : boot_with("tsc=reliable");
  if (facts.clock_source == "hpet" || facts.clock_source == "acpi_pm" || facts.clock_source == "jiffies") {
    return bad(facts.clock_source + ": every look at the clock takes a microsecond and a system call", fix);
  }
  return could_be_better(facts.clock_source, fix);
}

struct Topic {
  const char* name;
  Finding (*judge)(const HostFacts&);
};
constexpr Topic kTopics[] = {{"kernel", kernel},
                             {"processors", cores},
                             {"isolcpus", isolation},
                             {"nohz_full", ticks},
                             {"rcu_nocbs", rcu},
                             {"interrupts", interrupts},
                             {"frequency", frequency},
                             {"idle states", idle_states},
                             {"throttling", throttling},
                             {"priority", priority},
                             {"locked memory", locked_memory},
                             {"control group", quota},
                             {"hypervisor", hypervisor},
                             {"hardware threads", hardware_threads},
                             {"clock source", clock}};

}  // namespace

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kCouldBeBetter:
      return "could be better";
    case Verdict::kBad:
      return "bad";
  }
  return "unknown";
}

std::vector<Finding> judge(const HostFacts& facts) {
  std::vector<Finding> findings;
  for (const Topic& topic : kTopics) {
    findings.push_back(topic.judge(facts));
    findings.back().topic = topic.name;
  }
  return findings;
}

}  // namespace kinloop::host

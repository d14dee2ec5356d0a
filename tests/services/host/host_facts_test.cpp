// Tests what is read of a host: from a made-up tree of files, and from the one the test runs on.
#include "services/host/host_facts.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::host {
namespace {

class Host : public TemporaryFolder {};

TEST_F(Host, IsReadWhole) {
  write("proc/sys/kernel/osrelease", "6.1.0-18-rt-amd64\n");
  write("proc/version", "Linux version 6.1.0-18-rt-amd64 (debian) #1 SMP PREEMPT_RT Debian 6.1.76-1\n");
  write("sys/kernel/realtime", "1\n");
  write("boot/config-6.1.0-18-rt-amd64", "# x\nCONFIG_PREEMPT_RT=y\n");
  write("proc/cmdline", "quiet isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3\n");
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu hypervisor sse\n");
  write("sys/class/dmi/id/sys_vendor", "QEMU\n");
  write("sys/devices/system/cpu/online", "0-3\n");
  write("sys/devices/system/cpu/isolated", "2-3\n");
  write("sys/devices/system/cpu/nohz_full", "2-3\n");
  write("sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n");
  write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu3/cpuidle/state0/name", "POLL\n");
  write("sys/devices/system/cpu/cpu3/cpuidle/state0/latency", "0\n");
  write("sys/devices/system/cpu/cpu3/cpuidle/state1/name", "C6\n");
  write("sys/devices/system/cpu/cpu3/cpuidle/state1/latency", "133\n");
  write("sys/devices/system/cpu/cpu3/cpuidle/state1/disable", "1\n");
  write("proc/irq/17/smp_affinity_list", "0-3\n");
  write("proc/irq/17/eth0/x", "");
  write("proc/irq/18/smp_affinity_list", "0-1\n");
  write("proc/irq/18/usb/x", "");
  write("proc/irq/19/smp_affinity_list", "0-3\n");
  write("proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  write("proc/sys/kernel/sched_rt_period_us", "1000000\n");
  write("proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units\n"
        "Max locked memory         8388608              8388608              bytes\n"
        "Max realtime priority     95                   95\n");
  write("proc/self/status", "Name:\tx\nCapEff:\t0000000000804000\nCpus_allowed_list:\t0-1\n");
  write("proc/self/cgroup", "0::/system.slice/kinloop.service\n");
  write("sys/fs/cgroup/system.slice/kinloop.service/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/system.slice/cpu.max", "50000 100000\n");
  write("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  write("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet tsc\n");
  write("dev/cpu_dma_latency", "");

  const HostFacts facts = read_host_facts(std::nullopt, folder_);

  EXPECT_EQ(facts.kernel, "6.1.0-18-rt-amd64");
  EXPECT_EQ(facts.preemption, "PREEMPT_RT");
  EXPECT_EQ(facts.realtime_signs.size(), 3U);
  EXPECT_EQ(facts.processor, "Some CPU");
  EXPECT_EQ(facts.hypervisor, "QEMU");
  EXPECT_EQ(facts.core, 3);
  EXPECT_EQ(facts.online.size(), 4U);
  EXPECT_EQ(facts.allowed, (std::vector<int>{0, 1}));
  EXPECT_EQ(facts.isolated, (std::vector<int>{2, 3}));
  EXPECT_EQ(facts.nohz_full, (std::vector<int>{2, 3}));
  EXPECT_EQ(facts.rcu_nocbs, (std::vector<int>{2, 3}));
  EXPECT_EQ(facts.siblings, (std::vector<int>{1, 3}));
  EXPECT_EQ(facts.governor, "powersave");
  ASSERT_EQ(facts.idle_states.size(), 2U);
  EXPECT_EQ(facts.idle_states[1].name, "C6");
  EXPECT_EQ(facts.idle_states[1].latency_us, 133);
  EXPECT_TRUE(facts.idle_states[1].disabled);
  ASSERT_EQ(facts.irqs.size(), 1U);
  EXPECT_EQ(facts.irqs[0].number, 17);
  EXPECT_EQ(facts.irqs[0].name, "eth0");
  EXPECT_EQ(facts.rt_runtime_us, 950000);
  EXPECT_EQ(facts.memlock_bytes, 8388608);
  EXPECT_EQ(facts.rtprio, 95);
  EXPECT_TRUE(facts.has_sys_nice);
  EXPECT_TRUE(facts.has_ipc_lock);
  EXPECT_EQ(facts.cpu_quota, "50000 100000");
  EXPECT_EQ(facts.clock_source, "hpet");
  EXPECT_EQ(facts.clock_sources, (std::vector<std::string>{"hpet", "tsc"}));
  EXPECT_TRUE(facts.can_hold_latency);
}

TEST_F(Host, IsUnknownWhereItShowsNothing) {
  const HostFacts facts = read_host_facts(std::nullopt, folder_);

  EXPECT_TRUE(facts.kernel.empty());
  EXPECT_TRUE(facts.realtime_signs.empty());
  EXPECT_FALSE(facts.governor.has_value());
  EXPECT_FALSE(facts.rt_runtime_us.has_value());
  EXPECT_FALSE(facts.can_hold_latency);
  EXPECT_EQ(facts.core, 0);
}

TEST(HostFacts, ReadTheHostTheTestRunsOn) {
  const HostFacts facts = read_host_facts(0);

  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_FALSE(facts.online.empty());
  EXPECT_EQ(facts.core, 0);
}

}  // namespace
}  // namespace kinloop::host

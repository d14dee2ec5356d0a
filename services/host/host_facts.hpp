// Owns HostFacts: what a host shows of itself that matters to a real-time loop.
//
// Everything is read from files below a root, which is "/" but for tests, and nothing is judged here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kinloop::host {

struct IdleState {
  std::string name;
  std::int64_t latency_us = 0;  // to leave it
  bool disabled = false;
};

struct Irq {
  int number = 0;
  std::string name;
};

struct HostFacts {
  std::string kernel;                       // release
  std::string preemption;                   // as the kernel names it: "PREEMPT_RT", "PREEMPT_DYNAMIC", ...; or empty
  std::vector<std::string> realtime_signs;  // of PREEMPT_RT
  std::string processor;                    // model name
  std::string hypervisor;                   // empty where none is seen

  std::vector<int> online, allowed;  // processors there are, and those this process may use
  std::vector<int> isolated, nohz_full, rcu_nocbs;
  int core = 0;               // the one that is looked at
  std::vector<int> siblings;  // hardware threads that share that core, itself included
  std::vector<Irq> irqs;      // that may be served on it
  std::optional<std::string> governor;
  std::vector<IdleState> idle_states;
  bool can_hold_latency = false;  // /dev/cpu_dma_latency may be opened for writing

  std::optional<std::int64_t> rt_runtime_us, rt_period_us;  // of all real-time threads; -1: no limit
  std::optional<std::int64_t> memlock_bytes, rtprio;        // limits of this process; INT64_MAX: none
  bool has_sys_nice = false, has_ipc_lock = false;          // capabilities
  std::string cpu_quota;                                    // of the control group, empty where there is none

  std::string clock_source;
  std::vector<std::string> clock_sources;
};

/// Of the given core, or, without one, of the last isolated core, or of the last one this process may use.
HostFacts read_host_facts(std::optional<int> core, const std::filesystem::path& root = "/");

}  // namespace kinloop::host

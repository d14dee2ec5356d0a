// Reads /proc, /sys, /boot and /dev. A file that is missing or strange leaves its fact unknown.
#include "services/host/host_facts.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "services/base/text_file.hpp"
#include "services/host/cpu_list.hpp"

namespace kinloop::host {
namespace {

namespace fs = std::filesystem;

/// Without the line's end; empty where there is no such file.
std::string text_of(const fs::path& path) {
  constexpr std::size_t kMaxBytes = 4U << 20U;
  Result<std::string> text = read_text_file(path, kMaxBytes);
  if (!text) return {};
  while (!text->empty() && (text->back() == '\n' || text->back() == ' ')) text->pop_back();
  return std::move(*text);
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The rest of the first line that starts with the key and a colon or blanks.
std::string value_of(const std::string& text, const std::string& key) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t first = line.find_first_not_of(": \t", key.size());
    return first == std::string::npos ? "" : line.substr(first);
  }
  return {};
}

std::string boot_parameter(const std::string& command_line, const std::string& name) {
  for (const std::string& word : words_of(command_line)) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return {};
}

void read_kernel(const fs::path& root, HostFacts& facts) {
  facts.kernel = text_of(root / "proc/sys/kernel/osrelease");
  const std::string version = text_of(root / "proc/version");
  for (const std::string& word : words_of(version)) {
    if (word.starts_with("PREEMPT")) facts.preemption = word;
  }
  if (text_of(root / "sys/kernel/realtime") == "1") facts.realtime_signs.emplace_back("/sys/kernel/realtime is 1");
  if (facts.preemption == "PREEMPT_RT") facts.realtime_signs.emplace_back("/proc/version says PREEMPT_RT");
  const std::string config = "boot/config-" + facts.kernel;
  if (text_of(root / config).find("CONFIG_PREEMPT_RT=y") != std::string::npos) {
    facts.realtime_signs.push_back("/" + config + " has CONFIG_PREEMPT_RT=y");
  }
}

void read_processors(const fs::path& root, HostFacts& facts) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  facts.online = read_cpu_list(text_of(cpus / "online"));
  facts.allowed = read_cpu_list(value_of(text_of(root / "proc/self/status"), "Cpus_allowed_list"));
  facts.isolated = read_cpu_list(text_of(cpus / "isolated"));
  facts.nohz_full = read_cpu_list(text_of(cpus / "nohz_full"));
  facts.rcu_nocbs = read_cpu_list(boot_parameter(text_of(root / "proc/cmdline"), "rcu_nocbs"));
  const std::string information = text_of(root / "proc/cpuinfo");
  facts.processor = value_of(information, "model name");
  const std::vector<std::string> flags = words_of(value_of(information, "flags"));
  if (std::find(flags.begin(), flags.end(), "hypervisor") != flags.end()) {
    facts.hypervisor = text_of(root / "sys/class/dmi/id/sys_vendor");
    if (facts.hypervisor.empty()) facts.hypervisor = "unnamed";
  }
}

int chosen_core(std::optional<int> core, const HostFacts& facts) {
  if (core) return *core;
  if (!facts.isolated.empty()) return facts.isolated.back();
  if (!facts.allowed.empty()) return facts.allowed.back();
  return facts.online.empty() ? 0 : facts.online.back();
}

void read_core(const fs::path& root, HostFacts& facts) {
  const fs::path cpu = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(facts.core));
  facts.siblings = read_cpu_list(text_of(cpu / "topology/thread_siblings_list"));
  const std::string governor = text_of(cpu / "cpufreq/scaling_governor");
  if (!governor.empty()) facts.governor = governor;
  for (int i = 0; fs::exists(cpu / "cpuidle" / ("state" + std::to_string(i))); ++i) {
    const fs::path state = cpu / "cpuidle" / ("state" + std::to_string(i));
    facts.idle_states.push_back({text_of(state / "name"), number_of(text_of(state / "latency")).value_or(0),
                                 text_of(state / "disable") == "1"});
  }
  facts.can_hold_latency = ::access((root / "dev/cpu_dma_latency").c_str(), W_OK) == 0;
}

void read_irqs(const fs::path& root, HostFacts& facts) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "proc/irq", ignored)) {
    const auto number = number_of(entry.path().filename().string());
    if (!number) continue;
    std::string cpus = text_of(entry.path() / "effective_affinity_list");
    if (cpus.empty()) cpus = text_of(entry.path() / "smp_affinity_list");
    if (!contains(read_cpu_list(cpus), facts.core)) continue;
    std::string name;
    for (const fs::directory_entry& action : fs::directory_iterator(entry.path(), ignored)) {
      if (action.is_directory(ignored)) name = action.path().filename().string();
    }
    if (!name.empty()) facts.irqs.push_back({static_cast<int>(*number), name});  // without a name nobody uses it
  }
  std::sort(facts.irqs.begin(), facts.irqs.end(), [](const Irq& a, const Irq& b) { return a.number < b.number; });
}

/// The soft limit of a line of /proc/self/limits.
std::optional<std::int64_t> limit(const std::string& limits, const std::string& name) {
  const std::vector<std::string> words = words_of(value_of(limits, name));
  if (words.empty()) return std::nullopt;
  return words.front() == "unlimited" ? std::optional<std::int64_t>(INT64_MAX) : number_of(words.front());
}

/// "50000 100000" of the control group this process is in, or of one above it.
std::string cpu_quota(const fs::path& root) {
  const std::string own = value_of(text_of(root / "proc/self/cgroup"), "0:");
  fs::path group = own.empty() ? fs::path("/") : fs::path(own);
  for (;; group = group.parent_path()) {
    std::string most = text_of(root / "sys/fs/cgroup" / group.relative_path() / "cpu.max");
    if (!most.empty() && !most.starts_with("max")) return most;
    if (!group.has_relative_path()) return {};
  }
}

void read_permissions(const fs::path& root, HostFacts& facts) {
  facts.rt_runtime_us = number_of(text_of(root / "proc/sys/kernel/sched_rt_runtime_us"));
  facts.rt_period_us = number_of(text_of(root / "proc/sys/kernel/sched_rt_period_us"));
  const std::string limits = text_of(root / "proc/self/limits");
  facts.memlock_bytes = limit(limits, "Max locked memory");
  facts.rtprio = limit(limits, "Max realtime priority");
  constexpr unsigned kIpcLock = 14;
  constexpr unsigned kSysNice = 23;
  std::uint64_t effective = 0;
  const std::string mask = value_of(text_of(root / "proc/self/status"), "CapEff");
  std::from_chars(mask.data(), mask.data() + mask.size(), effective, 16);
  facts.has_ipc_lock = (effective >> kIpcLock & 1U) != 0;
  facts.has_sys_nice = (effective >> kSysNice & 1U) != 0;
  facts.cpu_quota = cpu_quota(root);
}

}  // namespace

HostFacts read_host_facts(std::optional<int> core, const fs::path& root) {
  HostFacts facts;
  read_kernel(root, facts);
  read_processors(root, facts);
  facts.core = chosen_core(core, facts);
  read_core(root, facts);
  read_irqs(root, facts);
  read_permissions(root, facts);
  const fs::path clock = root / "sys/devices/system/clocksource/clocksource0";
  facts.clock_source = text_of(clock / "current_clocksource");
  facts.clock_sources = words_of(text_of(clock / "available_clocksource"));
  return facts;
}

}  // namespace kinloop::host

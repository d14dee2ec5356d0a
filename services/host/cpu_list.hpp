// Owns lists of processors as the kernel writes them: "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kinloop::host {

/// Sorted. What is no number or range ("domain", "managed_irq", "(null)") is passed over; numbers beyond 4095 too.
std::vector<int> read_cpu_list(std::string_view text);

/// "0-3,8"; empty for none.
std::string cpu_list(const std::vector<int>& cpus);

bool contains(const std::vector<int>& cpus, int cpu) noexcept;

}  // namespace kinloop::host
